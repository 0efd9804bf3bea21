import { randomUUID } from "node:crypto";
import type pg from "pg";
import { z } from "zod";
import { awaitLock } from "@/server/platform/database/advisory-lock";
import { withConnection } from "@/server/platform/database/connection";
import { migrationLock } from "@/server/platform/database/migrate";
import { queryRows, text } from "@/server/platform/rows";
import { isKey } from "@/server/platform/storage/keys";
import { namedFiles } from "@/server/platform/storage/named-files";
import { ownStore } from "@/server/platform/storage/own";
import type { OwnStore } from "@/server/platform/storage/own-store";

/**
 * What a store says about itself: the installation it belongs to, and whether its files are being moved there or were
 * moved away.
 */
const Mark = z.object({
  installation: z.string(),
  moving_from: z.string().optional(),
  moved_to: z.string().optional(),
});
export type Mark = z.output<typeof Mark>;

/** The store cannot be used with the database; the message says what to do. */
class WrongStore extends Error {
  override readonly name = "WrongStore";
}

/** How many of the files that the database names are looked for in a store without a mark. */
const samples = 20;

const noted = ({ location }: OwnStore): string => `The store ${location}`;
const escape = "To use it all the same, run: npm run muster -- files claim";

export async function readMark(store: OwnStore): Promise<Mark | null> {
  const written = await store.readMark();
  if (written === null) return null;
  try {
    return Mark.parse(JSON.parse(written));
  } catch {
    throw new WrongStore(`${noted(store)} has a damaged mark. ${escape}`);
  }
}

export const formatMark = (mark: Mark): string => `${JSON.stringify(mark, null, 2)}\n`;
export const writeMark = (store: OwnStore, mark: Mark): Promise<void> => store.writeMark(formatMark(mark));

/** The id of the database's installation; null before its first start. */
export async function readInstallation(client: pg.ClientBase): Promise<string | null> {
  const [row] = await queryRows(client, { id: text }, "select id from installation");
  return row?.id ?? null;
}

/** Gives the installation of a database another id, because a copy of it may exist. */
export async function renewInstallation(client: pg.ClientBase): Promise<string> {
  const id = randomUUID();
  await client.query("insert into installation (id) values ($1) on conflict (single) do update set id = excluded.id", [
    id,
  ]);
  return id;
}

/** Whether the database names no files, or at least one of some of them is in the store. */
async function holdsFiles(client: pg.Client, store: OwnStore): Promise<boolean> {
  await client.query("begin read only");
  try {
    let missing = 0;
    for await (const { key } of namedFiles(client)) {
      if (isKey(key) && (await store.head(key)) !== null) return true;
      if (++missing === samples) return false;
    }
    return missing === 0;
  } finally {
    await client.query("rollback");
  }
}

/** Refuses a store that belongs to another installation, or whose files were moved. */
function requireUsable(store: OwnStore, mark: Mark, id: string | null): void {
  if (mark.moved_to !== undefined)
    throw new WrongStore(
      `The files of ${store.location} were moved to ${mark.moved_to}. Set STORAGE to that. ${escape}`,
    );
  if (mark.moving_from !== undefined)
    throw new WrongStore(
      `Files are being moved from ${mark.moving_from} to ${store.location}. Repeat the move to its end, or set STORAGE to where they were.`,
    );
  if (mark.installation === id) return;
  throw new WrongStore(
    id === null
      ? `${noted(store)} belongs to the installation ${mark.installation}, and the database to none. Set DATABASE_URL (or DATA_DIR) to that installation's database, or another store. ${escape}`
      : `${noted(store)} belongs to the installation ${mark.installation}, and the database to ${id}. Set DATABASE_URL and STORAGE (or DATA_DIR) to the same installation. ${escape}`,
  );
}

/** Whether the mark of the store names the database's installation, and no move. */
async function isClaimed(client: pg.Client, store: OwnStore): Promise<boolean> {
  const [id, mark] = [await readInstallation(client), await readMark(store)];
  return mark?.installation === id && mark?.moving_from === undefined && mark?.moved_to === undefined;
}

async function claim(client: pg.Client, store: OwnStore): Promise<void> {
  // Nobody who starts again waits for the migrations that another process applies.
  if (await isClaimed(client, store)) return;
  await awaitLock(client, migrationLock);
  const [id, mark] = [await readInstallation(client), await readMark(store)];
  if (mark !== null) return requireUsable(store, mark, id);
  if (!(await holdsFiles(client, store)))
    throw new WrongStore(
      `${noted(store)} holds none of the files that the database${id === null ? "" : ` of the installation ${id}`} names. Set STORAGE (or DATA_DIR) to where they are, or restore a backup. ${escape}`,
    );
  await writeMark(store, { installation: id ?? (await renewInstallation(client)) });
}

const connection = (databaseUrl: string) => ({ connectionString: databaseUrl, application_name: "muster-start" });

/**
 * Compares the installation of the database with that of its store; both get an id at their first start. Must be called
 * at every start, after migrations. Throws a WrongStore.
 */
export const claimStore = (databaseUrl: string, store = ownStore()): Promise<void> =>
  withConnection(connection(databaseUrl), (client) => claim(client, store));

/** Makes the store that of the database's installation, whatever it was before. */
export const claimStoreAnyway = (databaseUrl: string, store = ownStore()): Promise<void> =>
  withConnection(connection(databaseUrl), async (client) => {
    await awaitLock(client, migrationLock);
    const installation = (await readInstallation(client)) ?? (await renewInstallation(client));
    await writeMark(store, { installation });
  });
