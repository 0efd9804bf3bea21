import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, rm, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import pino from "pino";
import { CommandError } from "@/cli/api-client";
import { computeMark, sumsName, type DamagedFile, type Manifest } from "@/cli/db-backup";
import * as db from "@/cli/db-tables";
import type { VerifiedBackup } from "@/cli/db-verify";
import { readTar, TarError } from "@/cli/tar";
import { withConnection } from "@/server/platform/database/connection";
import { migrateWithin, migrationLock, restoreLock } from "@/server/platform/database/migrate";
import { readMigrations } from "@/server/platform/database/migration-files";
import * as pending from "@/server/platform/database/pending-restore";
import { formatMark, renewInstallation } from "@/server/platform/installation/claim-store";
import { releaseAllJobs } from "@/server/platform/jobs/graphile";
import { tryLock } from "@/server/platform/process/file-lock.mjs";
import { checkContent } from "@/server/platform/storage/content-check";
import { DiskStore } from "@/server/platform/storage/disk";
import { isKey } from "@/server/platform/storage/keys";
import { namedFiles } from "@/server/platform/storage/named-files";

const quiet = pino({ level: "silent" });

type Migrations = ReturnType<typeof readMigrations>;

export interface RestoreTarget {
  databaseUrl: string;
  dataDir: string;
  /** The AUTH_SECRET that the operator sets. Without it, the backup's is stored in DATA_DIR. */
  authSecret: string | undefined;
  /** The one in DATA_DIR, for a backup that leaves out its own. */
  keptSecret?: string | undefined;
  /** Called before existing data is replaced. */
  mayReplace: () => Promise<boolean>;
  /** Refuses a backup in which a file is damaged. */
  strict?: boolean;
}

export interface Restored {
  files: number;
  createdAt: string;
  /** Files that were damaged in the backup and are restored as they are. */
  damaged: string[];
}

/**
 * Replaces an installation, which is empty or may be replaced, by a backup. The new state is built beside the old one
 * and switched at the end, so that a failure at any moment leaves one of them complete. Throws a CommandError, or any
 * error before something was changed.
 */
export async function restore(backup: VerifiedBackup, target: RestoreTarget): Promise<Restored> {
  try {
    checkSecret(backup.manifest, backup.secret, target);
    const migrations = migrationsFor(backup.manifest);
    await mkdir(target.dataDir, { recursive: true, mode: 0o711 });
    const lock = tryLock(path.join(target.dataDir, "muster.lock"));
    if (!lock.held) throw new CommandError("Muster is running on this DATA_DIR. Stop it first.");
    try {
      const connection = {
        connectionString: target.databaseUrl,
        application_name: "muster-restore",
        keepAlive: true,
      };
      return await withConnection(connection, (client) => replace(client, backup, target, migrations));
    } finally {
      lock.release();
    }
  } finally {
    await backup.file.close();
  }
}

async function replace(
  client: pg.Client,
  backup: VerifiedBackup,
  target: RestoreTarget,
  migrations: Migrations,
): Promise<Restored> {
  await client.query("select pg_advisory_lock($1), pg_advisory_lock($2)", [migrationLock, restoreLock]);
  await checkTarget(client, target);
  await pending.finishPending(client, target.dataDir);
  await pending.removeLeftovers(target.dataDir);
  const staging = await pending.makeStaging(target.dataDir);
  let committing = false;
  try {
    await pending.checkMovable(target.dataDir);
    const store = new DiskStore(staging.files);
    const { files, tables } = await stage(backup.file, store, staging.tables);
    // The files are switched after the commit, so the commit must survive a power failure.
    await client.query("set synchronous_commit = on; begin");
    await fillDatabase(client, backup.manifest, tables, migrations);
    await rm(staging.tables, { recursive: true });
    // Another id than the backup's: where that was made, Muster may still run.
    await writeFile(staging.mark, formatMark({ installation: await renewInstallation(client) }));
    const damaged = await markDamaged(client, store, backup.damaged);
    if (target.strict && damaged.length > 0) {
      throw new CommandError(`Files of this backup are damaged, and nothing was changed:\n${damaged.join("\n")}`);
    }
    if (target.authSecret === undefined && backup.secret !== null) await writeFile(staging.secret, backup.secret);
    await pending.syncTree(staging.folder);
    await pending.notePending(client, staging.id);
    committing = true;
    await client.query("commit");
    await pending.finishPending(client, target.dataDir);
    return { files, createdAt: backup.manifest.created_at, damaged };
  } catch (error) {
    if (committing) throw interrupted(error);
    await rm(staging.folder, { recursive: true, force: true }).catch(() => {}); // otherwise the next restore removes it
    throw error;
  }
}

/** From the commit on, only the database can tell whether the old or the new state is in force. */
function interrupted(error: unknown): CommandError {
  const reason = error instanceof Error ? error.message : String(error);
  return new CommandError(
    `The restore was interrupted at its end: ${reason}. Start Muster: it finishes the restore, or goes on as before.`,
  );
}

/** Refuses a backup whose sealed values could not be opened afterwards, naming the missing secret. */
function checkSecret({ secret_mark: mark }: Manifest, secret: string | null, target: RestoreTarget): void {
  const { authSecret, keptSecret, dataDir } = target;
  const used = authSecret ?? secret ?? keptSecret;
  if (used !== undefined && computeMark(used) === mark) return;
  const wanted = `the secret with the fingerprint ${mark}`;
  if (authSecret !== undefined)
    throw new CommandError(
      `AUTH_SECRET is not the one this backup was made with, so the secrets in it could not be opened. Set ${wanted}${secret === null ? "" : ", or none"}; this one's is ${computeMark(authSecret)}.`,
    );
  const place = path.join(dataDir, "auth-secret");
  throw new CommandError(
    `This backup does not contain the secret that it was made with. Put ${wanted} into ${place}, or set it as AUTH_SECRET.${keptSecret === undefined ? "" : ` The one that is there has ${computeMark(keptSecret)}.`}`,
  );
}

/** The migrations of this Muster that the backup's database had; later ones run after its rows are loaded. */
function migrationsFor({ migrations }: Manifest): Migrations {
  const known = readMigrations();
  const unknown = migrations.find((name) => !known.some((migration) => migration.name === name));
  if (unknown !== undefined)
    throw new CommandError(`This backup is from a newer Muster: it has the migration ${unknown}. Update Muster first.`);
  return known.filter(({ name }) => migrations.includes(name));
}

async function checkTarget(client: pg.Client, target: RestoreTarget): Promise<void> {
  if (await db.isInUse(client)) throw new CommandError("Muster is running on this database. Stop it first.");
  const filled = (await db.readState(client)) === "filled" ? "The database is not empty" : null;
  const reason = filled ?? ((await pending.hasFiles(target.dataDir)) ? "DATA_DIR holds files" : null);
  if (reason === null || (await target.mayReplace())) return;
  throw new CommandError(
    `${reason}, and nothing was changed. Restore into an empty database and DATA_DIR, or replace them with --force.`,
  );
}

/** The file with the rows of each table, in COPY's format. */
type TableFiles = Map<string, string>;

/**
 * Stores the files of a backup and writes the rows of its tables to files below `folder`, so that the archive is read
 * once and the transaction that loads the rows stays short.
 */
async function stage(
  file: FileHandle,
  store: DiskStore,
  folder: string,
): Promise<{ files: number; tables: TableFiles }> {
  await mkdir(folder);
  const tables: TableFiles = new Map();
  let files = 0;
  let isWhole = false;
  for await (const entry of readTar(file)) {
    // The last one: without it an archive that breaks off between two entries would look complete.
    isWhole ||= entry.name === sumsName;
    const [kind, table = ""] = entry.name.split("/");
    if (kind === "tables") {
      const place = tables.get(table) ?? path.join(folder, String(tables.size));
      tables.set(table, place);
      await pipeline(entry.bytes(), createWriteStream(place, { flags: "a", mode: 0o600 }));
    } else if (kind === "files") {
      const body = Readable.toWeb(Readable.from(entry.bytes())) as ReadableStream<Uint8Array>;
      await store.put(entry.name.slice("files/".length), body, entry.size);
      files += 1;
    }
  }
  if (!isWhole) throw new TarError("the file breaks off");
  return { files, tables };
}

/** Replaces all tables by the backup's and migrates them, inside the transaction of `client`. */
async function fillDatabase(
  client: pg.Client,
  manifest: Manifest,
  tables: TableFiles,
  migrations: Migrations,
): Promise<void> {
  await client.query("set local TimeZone = 'UTC'; set local lock_timeout = '5s'");
  await db.dropEverything(client).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === lockNotAvailable)) throw error;
    throw new CommandError("Another program uses the database. Stop it first.");
  });
  await client.query("set local lock_timeout = 0");
  await migrateWithin(client, quiet, migrations);
  const { queue } = await db.listMigrations(client);
  if (queue < manifest.queue_migration) {
    throw new CommandError("This backup is from a newer Muster: its job queue is newer. Update Muster first.");
  }
  const present = new Map((await db.listTables(client)).map((table) => [table.key, table]));
  // Rows that migrations insert are in the backup too, with their later changes.
  const empty = [...present.values()].filter(({ key }) => key.startsWith("public.")).map(({ name }) => name);
  await client.query(`truncate ${empty.join(", ")} cascade`);
  for (const { key, parts } of manifest.tables) {
    const table = present.get(key);
    if (parts && table?.parts) await db.replaceParts(client, table, parts);
  }
  // What they count is in the rows that are loaded.
  const triggers = await db.listTriggers(client);
  for (const { table, name } of triggers) await client.query(`alter table ${table} disable trigger ${name}`);
  for (const [key, place] of tables) {
    const name = present.get(key)?.name;
    if (name === undefined) throw new CommandError(`There is no table ${key} here.`);
    const columns = manifest.tables.find((table) => table.key === key)?.columns.map(db.quoted) ?? [];
    const rows = client.query(copyFrom(`copy ${name} (${columns.join(", ")}) from stdin`));
    await pipeline(createReadStream(place), rows);
  }
  for (const { table, name } of triggers) await client.query(`alter table ${table} enable trigger ${name}`);
  // Jobs that ran when the backup was made run again.
  await releaseAllJobs(client);
  await db.advanceSequences(client, manifest.sequences);
  await migrateWithin(client, quiet);
  await db.makeCurrentParts(client);
}

const lockNotAvailable = "55P03";
const isMd5 = (etag: string): boolean => /^"[0-9a-f]{32}"$/.test(etag);

/** Lists the damaged files. They get their original tags, so that the next backup finds them too. */
async function markDamaged(client: pg.Client, store: DiskStore, known: DamagedFile[]): Promise<string[]> {
  const recorded = new Map(known.map(({ key, etag }) => [key, etag]));
  const damaged: string[] = [];
  for await (const { key, etag } of namedFiles(client)) {
    const expected = etag ?? recorded.get(key);
    const stored = expected === undefined || !isKey(key) ? null : await store.head(key);
    if (expected === undefined || stored === null || stored.etag === expected) continue;
    // A backup of a bucket has tags that are no MD5 of all bytes.
    if ((await checkContent(store, { key, etag: expected, sizeBytes: null })) !== "damaged") continue;
    if (isMd5(expected)) await store.keepTag(key, expected);
    damaged.push(key);
  }
  return damaged;
}

async function writeFile(place: string, content: string): Promise<void> {
  const file = await open(place, "wx", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}
