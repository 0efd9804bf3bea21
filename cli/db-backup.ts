import { createHash } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { CommandError } from "@/cli/api-client";
import { listMigrations, listTables, quoted, readSequences, type Part, type Table } from "@/cli/db-tables";
import { TarWriter } from "@/cli/tar";
import { isKey } from "@/server/platform/storage/keys";
import { namedFiles } from "@/server/platform/storage/named-files";
import { ObjectMissing, type ObjectStore } from "@/server/platform/storage/store";
import { TagCheck } from "@/server/platform/storage/tag-check";

/** The first entry of a backup: what it was made from, so that a restore can check whether it can use it. */
export interface Manifest {
  format: 1;
  created_at: string;
  migrations: string[];
  queue_migration: number;
  /** Of partitioned tables with their parts, which are made before their rows are there. */
  tables: { key: string; columns: string[]; parts?: Part[] }[];
  /** The last number that each sequence gave; absent in backups of earlier versions. */
  sequences?: Record<string, string>;
  /** Identifies the AUTH_SECRET that opens the sealed values in the rows, without revealing it. */
  secret_mark: string;
}

/** The last entry, which shows that the backup is complete: the hash of each other entry, as for `sha256sum -c`. */
export const sumsName = "SHA256SUMS";
export const secretName = "auth-secret";
/** The damaged files as DamagedFile[]; the entry is absent when there are none. */
export const damagedName = "damaged.json";
export const computeMark = (secret: string): string =>
  createHash("sha256").update(`muster backup ${secret}`).digest("hex").slice(0, 16);

/** A file whose bytes do not match the entity tag that was recorded when it was stored. */
export interface DamagedFile {
  key: string;
  etag: string;
}

export interface BackupSource {
  databaseUrl: string;
  authSecret: string;
  /** Includes the secret in the backup, which then opens everything in it. */
  withSecret: boolean;
}

export interface BackupSummary {
  rows: number;
  files: number;
  bytes: number;
  /** Files that rows name and that do not exist. */
  missing: string[];
  /** Files whose bytes in the backup differ from those that were stored. */
  damaged: string[];
}

const pieceBytes = 4 * 1024 * 1024;

/**
 * Writes a snapshot of the database and every file that its rows name to `target`, which appears only when it is
 * complete. Memory use is constant; Muster may run and change data meanwhile.
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
        ? `${part} exists: another backup writes there, or one was interrupted. Remove it first.`
        : `${part} cannot be written (${error.code}).`,
    );
  });
  let done = false;
  try {
    // Taken before the snapshot, so that no file is removed that the snapshot may name.
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
      tables: tables.map(({ key, columns, parts }) => ({ key, columns, ...(parts && { parts }) })),
      sequences: await readSequences(client),
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
        throw toUnreadableError(key, error);
      }));
    if (stored === null || bytes === null) {
      added.missing.push(key);
      continue;
    }
    const recorded = etag ?? stored.etag;
    const check = new TagCheck(recorded, stored.sizeBytes);
    await tar.add(`files/${key}`, stored.sizeBytes, checkChunks(key, bytes, check));
    if (check.matches() === false && !stored.opaque) added.damaged.push({ key, etag: recorded });
    added.files += 1;
    if (added.files % 100 === 0) print(`${added.files} files …`);
  }
  return added;
}

async function* checkChunks(
  key: string,
  bytes: ReadableStream<Uint8Array>,
  check: TagCheck,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of bytes) {
      check.update(chunk);
      yield chunk;
    }
  } catch (error) {
    throw toUnreadableError(key, error);
  }
}

/** Fails the backup, because substituted bytes would look like the file's. A removed file is only listed as missing. */
function toUnreadableError(key: string, error: unknown): CommandError {
  const reason = error instanceof Error ? error.message : String(error);
  return new CommandError(
    `The file ${key} cannot be read: ${reason}. Repair its disk, or remove the file and back up without it.`,
  );
}

/** Adds a table in COPY's format, in pieces, because the size of an entry must be known before its bytes. */
async function addTable(client: pg.Client, tar: TarWriter, { key, name, columns, parts }: Table): Promise<number> {
  const list = columns.map(quoted).join(", ");
  // Before version 18, PostgreSQL does not copy a partitioned table itself.
  const source = parts ? `(select ${list} from ${name})` : `${name} (${list})`;
  const stream = client.query(copyTo(`copy ${source} to stdout`));
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
    piece.push(Buffer.from(chunk)); // the driver may reuse its buffer
    size += chunk.length;
    if (size >= pieceBytes) await flush();
  }
  await flush();
  return stream.rowCount ?? 0;
}
