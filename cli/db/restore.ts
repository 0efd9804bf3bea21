import { createReadStream } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import pino from "pino";
import { CommandError } from "@/cli/client/api-client";
import { computeMark, type DamagedFile, type Manifest } from "@/cli/db/format";
import { compareWithList, type ListedInStore } from "@/cli/db/listed-files";
import { stage, type TableFiles } from "@/cli/db/stage";
import * as db from "@/cli/db/tables";
import { closeBackup, type VerifiedBackup } from "@/cli/db/verify";
import { awaitLock } from "@/server/platform/database/advisory-lock";
import { withConnection } from "@/server/platform/database/connection";
import { migrateWithin, migrationLock, restoreLock } from "@/server/platform/database/migrate";
import { readMigrations } from "@/server/platform/database/migration-files";
import * as pending from "@/server/platform/database/pending-restore";
import { refusePooler } from "@/server/platform/database/pooler";
import { formatMark, renewInstallation } from "@/server/platform/installation/claim-store";
import { releaseAllJobs } from "@/server/platform/jobs/graphile";
import { tryLock } from "@/server/platform/process/file-lock.mjs";
import { backupLock, endAllLeases } from "@/server/platform/storage/backup-lease";
import { checkContent } from "@/server/platform/storage/content-check";
import { DiskStore } from "@/server/platform/storage/disk";
import { isKey } from "@/server/platform/storage/keys";
import { namedFiles } from "@/server/platform/storage/named-files";
import type { OwnStore } from "@/server/platform/storage/own-store";

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
  /** Refuses a backup in which a file is damaged, or whose files the store does not have. */
  strict?: boolean;
  /** Where the files of a backup without files are. */
  store?: OwnStore;
}

export interface Restored {
  files: number;
  createdAt: string;
  /** Files that were damaged in the backup and are restored as they are. */
  damaged: string[];
  /** Of a backup without files: how the store has them. */
  listed: ListedInStore | null;
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
    const listed = await compareFiles(backup, target);
    await mkdir(target.dataDir, { recursive: true, mode: 0o711 });
    const lock = tryLock(path.join(target.dataDir, "muster.lock"));
    if (!lock.held) throw new CommandError("Muster is running on this DATA_DIR. Stop it first.");
    try {
      await refusePooler(target.databaseUrl);
      const connection = {
        connectionString: target.databaseUrl,
        application_name: "muster-restore",
        keepAlive: true,
      };
      const restored = await withConnection(connection, (client) => replace(client, backup, target, migrations));
      return { ...restored, listed };
    } finally {
      lock.release();
    }
  } finally {
    await closeBackup(backup);
  }
}

const isWithoutFiles = ({ manifest }: VerifiedBackup): boolean => manifest.files === "none";

/** Looks for the files of a backup that has none, before anything is changed. */
async function compareFiles(
  backup: VerifiedBackup,
  { store, strict = false }: RestoreTarget,
): Promise<ListedInStore | null> {
  if (!isWithoutFiles(backup)) return null;
  if (!store) throw new Error("a backup without files needs the store that has them");
  const listed = await compareWithList(backup.archive, store);
  const faulty = [...listed.found.missing, ...listed.found.damaged];
  if (strict && faulty.length > 0)
    throw new CommandError(
      `Files of this backup are damaged or missing in ${store.location}, and nothing was changed:\n${faulty.join("\n")}`,
    );
  return listed;
}

async function replace(
  client: pg.Client,
  backup: VerifiedBackup,
  target: RestoreTarget,
  migrations: Migrations,
): Promise<Omit<Restored, "listed">> {
  const rowsOnly = isWithoutFiles(backup);
  // Versions before 0.2.0 start while the backup's lock is free.
  for (const lock of [migrationLock, backupLock, restoreLock]) await awaitLock(client, lock);
  await checkTarget(client, target, rowsOnly);
  await pending.finishPending(client, target.dataDir);
  await pending.removeLeftovers(target.dataDir);
  const staging = await pending.makeStaging(target.dataDir, { rowsOnly });
  let committing = false;
  try {
    if (!rowsOnly) await pending.checkMovable(target.dataDir);
    const store = new DiskStore(staging.files);
    const { files, tables } = await stage(backup, store, staging.tables);
    // The files are switched after the commit, so the commit must survive a power failure.
    await client.query("set synchronous_commit = on; begin");
    await fillDatabase(client, backup.manifest, tables, migrations);
    await rm(staging.tables, { recursive: true });
    // Another id than the backup's: where that was made, Muster may still run. A store that stays keeps its own.
    const installation = await renewInstallation(client);
    if (!rowsOnly) await writeFile(staging.mark, formatMark({ installation }));
    const damaged = rowsOnly ? [] : await markDamaged(client, store, backup.damaged);
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
function migrationsFor({ migrations, version }: Manifest): Migrations {
  const known = readMigrations();
  const unknown = migrations.find((name) => !known.some((migration) => migration.name === name));
  if (unknown !== undefined)
    throw new CommandError(
      `This backup is from a newer Muster: it has the migration ${unknown}. ${version === undefined ? "Update Muster first." : `Restore it with Muster ${version} or a newer one.`}`,
    );
  return known.filter(({ name }) => migrations.includes(name));
}

async function checkTarget(client: pg.Client, target: RestoreTarget, rowsOnly: boolean): Promise<void> {
  if (await db.isInUse(client)) throw new CommandError("Muster is running on this database. Stop it first.");
  const filled = (await db.readState(client)) === "filled" ? "The database is not empty" : null;
  const replacesFiles = !rowsOnly && (await pending.hasFiles(target.dataDir));
  const reason = filled ?? (replacesFiles ? "DATA_DIR holds files" : null);
  if (reason === null || (await target.mayReplace())) return;
  throw new CommandError(
    `${reason}, and nothing was changed. Restore into an empty database and DATA_DIR, or replace them with --force.`,
  );
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
  // Of the backup itself, and of others of the installation that it was made from.
  await endAllLeases(client);
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
