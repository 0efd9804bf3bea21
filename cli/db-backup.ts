import { createHash, type Hash } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { CommandError } from "@/cli/api-client";
import { namedFiles } from "@/cli/db-files";
import { listMigrations, quoted, listTables, type Table } from "@/cli/db-tables";
import { TarWriter } from "@/cli/tar";
import { isKey } from "@/server/platform/storage/keys";
import { ObjectMissing, type ObjectStore } from "@/server/platform/storage/store";

/** The first entry of a backup: what it was made from, so that a restore can tell whether it can use it. */
export interface Manifest {
  format: 1;
  created_at: string;
  migrations: string[];
  queue_migration: number;
  tables: { key: string; columns: string[] }[];
  /** Tells an AUTH_SECRET again without giving it away. What is sealed in the rows opens only with that one. */
  secret_mark: string;
}

/** The last entry: that all is there, and what every other must hash to (as `sha256sum -c` reads it). */
export const sumsName = "SHA256SUMS";
export const secretName = "auth-secret";
/** A list of the files whose bytes are not those that were stored, as DamagedFile; there only when there are any. */
export const damagedName = "damaged.json";
export const computeMark = (secret: string): string =>
  createHash("sha256").update(`muster backup ${secret}`).digest("hex").slice(0, 16);

/** A file whose bytes do not hash to the tag that was recorded when it was stored. */
export interface DamagedFile {
  key: string;
  etag: string;
}

export interface BackupSource {
  databaseUrl: string;
  authSecret: string;
  /** Puts the secret itself into the backup: where it is Muster's own, not the operator's. */
  withSecret: boolean;
}

export interface BackupSummary {
  rows: number;
  files: number;
  bytes: number;
  /** Files that the rows name and that are not there. */
  missing: string[];
  /** Files that are in the backup with other bytes than were stored. */
  damaged: string[];
}

const pieceBytes = 4 * 1024 * 1024;

/**
 * Writes the database, as it is at one moment, and every file that its rows name, into `target`, which appears only
 * once it is whole. Memory stays flat; Muster may run and be written to meanwhile.
 */
export async function backup(
  source: BackupSource,
  target: string,
  print: (line: string) => void = () => {},
): Promise<BackupSummary> {
  const [{ objectStore }, { backupLock }] = await Promise.all([
    import("@/server/platform/storage/current"),
    import("@/server/platform/storage/removal"),
  ]);
  const client = new pg.Client({ connectionString: source.databaseUrl, application_name: "muster-backup" });
  client.on("error", () => {});
  await client.connect();
  const part = `${target}.part`;
  const file = await open(part, "wx+", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      error.code === "EEXIST"
        ? `${part} exists: another backup writes there, or one was broken off. Remove it first.`
        : `${part} cannot be written (${error.code}).`,
    );
  });
  let done = false;
  try {
    // Before the snapshot: from here on, no file is removed that the snapshot may name.
    await client.query("select pg_advisory_lock($1)", [backupLock]);
    await client.query("begin isolation level repeatable read read only");
    await client.query("set local TimeZone = 'UTC'");
    const tables = await listTables(client);
    const { names, queue } = await listMigrations(client);
    const manifest: Manifest = {
      format: 1,
      created_at: new Date().toISOString(),
      migrations: names,
      queue_migration: queue,
      tables: tables.map(({ key, columns }) => ({ key, columns })),
      secret_mark: computeMark(source.authSecret),
    };
    const tar = new TarWriter(file);
    await tar.addText("manifest.json", `${JSON.stringify(manifest, null, 2)}\n`);
    if (source.withSecret) await tar.addText(secretName, source.authSecret);
    const { files, missing, damaged } = await addFiles(client, tar, objectStore(), print);
    if (damaged.length > 0) await tar.addText(damagedName, `${JSON.stringify(damaged, null, 2)}\n`);
    let rows = 0;
    for (const table of tables) rows += await addTable(client, tar, table);
    await client.query("commit");
    await tar.addText(sumsName, [...tar.sums].map(([name, sum]) => `${sum}  ${name}\n`).join(""));
    const bytes = await tar.close();
    await file.close();
    await rename(part, target);
    done = true;
    return { rows, files, bytes, missing, damaged: damaged.map(({ key }) => key) };
  } finally {
    await client.end().catch(() => {}); // ends the session and with it the lock
    if (!done) {
      await file.close().catch(() => {});
      await rm(part, { force: true });
    }
  }
}

type Store = Pick<ObjectStore, "head" | "read">;

interface AddedFiles {
  files: number;
  missing: string[];
  damaged: DamagedFile[];
}

async function addFiles(
  client: pg.Client,
  tar: TarWriter,
  store: Store,
  print: (line: string) => void,
): Promise<AddedFiles> {
  const added: AddedFiles = { files: 0, missing: [], damaged: [] };
  for await (const { key, etag } of namedFiles(client)) {
    const stored = isKey(key) ? await store.head(key) : null;
    const bytes =
      stored &&
      (await store.read(key).catch((error: unknown) => {
        if (error instanceof ObjectMissing) return null;
        throw unreadable(key, error);
      }));
    if (stored === null || bytes === null) {
      added.missing.push(key);
      continue;
    }
    const hash = createHash("md5");
    await tar.add(`files/${key}`, stored.sizeBytes, hashed(key, bytes, hash));
    const recorded = etag ?? stored.etag;
    if (recorded !== `"${hash.digest("hex")}"`) added.damaged.push({ key, etag: recorded });
    added.files += 1;
    if (added.files % 100 === 0) print(`${added.files} files …`);
  }
  return added;
}

async function* hashed(key: string, bytes: ReadableStream<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of bytes) {
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    throw unreadable(key, error);
  }
}

/** Bytes made up in place of these would pass for a backup. A file that is removed is named as missing instead. */
function unreadable(key: string, error: unknown): CommandError {
  const reason = error instanceof Error ? error.message : String(error);
  return new CommandError(
    `The file ${key} cannot be read: ${reason}. Repair its disk, or remove the file and back up without it.`,
  );
}

/** A table as PostgreSQL's COPY writes it, in pieces, since the size of an entry must be known before its bytes. */
async function addTable(client: pg.Client, tar: TarWriter, { key, name, columns }: Table): Promise<number> {
  const stream = client.query(copyTo(`copy ${name} (${columns.map(quoted).join(", ")}) to stdout`));
  let piece: Buffer[] = [];
  let size = 0;
  let number = 0;
  const flush = async () => {
    if (size === 0) return;
    number += 1;
    await tar.add(`tables/${key}/${String(number).padStart(6, "0")}`, size, piece);
    [piece, size] = [[], 0];
  };
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    piece.push(Buffer.from(chunk)); // the driver may write into its buffer again
    size += chunk.length;
    if (size >= pieceBytes) await flush();
  }
  await flush();
  return stream.rowCount ?? 0;
}
