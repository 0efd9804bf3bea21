import { randomUUID } from "node:crypto";
import { access, constants, copyFile, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { awaitLock } from "@/server/platform/database/advisory-lock";
import { restoreLock } from "@/server/platform/database/migrate";
import { queryRows, text } from "@/server/platform/rows";
import { isKey, markName } from "@/server/platform/storage/keys";

/**
 * A restore collects new files in a staging folder beside the current ones, and new rows in one transaction, which also
 * records the folder's id in this schema. Until the commit nothing changes. After it the files must be switched, which
 * can be resumed at any point: by the restore, by the next start, or by the next restore.
 */
const pendingSchema = "muster_restore";

/** Names that start with a dot are no storage keys, so staging folders never collide with stored files. */
const stagingPrefix = ".restore-";
/** Of a restore that leaves the files as they are. Versions before it do not find its folder, and refuse to start. */
const rowsOnlyPrefix = ".rows-";
const rowsOnlyId = "rows-";
const isRowsOnly = (id: string): boolean => id.startsWith(rowsOnlyId);

export interface Staging {
  id: string;
  folder: string;
  /** The new content of DATA_DIR/files. */
  files: string;
  /** For the rows of the backup until they are in the database; created and removed by the restore. */
  tables: string;
  /** The AUTH_SECRET that replaces the one of DATA_DIR, if the file exists. */
  secret: string;
  /** Whose files they are; replaces the mark of the current ones. */
  mark: string;
}

const filesRoot = (dataDir: string): string => path.join(dataDir, "files");

function getStaging(dataDir: string, id: string): Staging {
  const name = isRowsOnly(id) ? `${rowsOnlyPrefix}${id.slice(rowsOnlyId.length)}` : `${stagingPrefix}${id}`;
  const folder = path.join(filesRoot(dataDir), name);
  const inside = (name: string) => path.join(folder, name);
  return {
    id,
    folder,
    files: inside("files"),
    tables: inside("tables"),
    secret: inside("auth-secret"),
    mark: inside(markName),
  };
}

/**
 * Creates a staging folder. It is inside DATA_DIR/files, which may be a separate disk. With `rowsOnly`, the current files
 * stay.
 */
export async function makeStaging(dataDir: string, { rowsOnly = false } = {}): Promise<Staging> {
  const staging = getStaging(dataDir, `${rowsOnly ? rowsOnlyId : ""}${randomUUID()}`);
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  await mkdir(filesRoot(dataDir), { recursive: true });
  await mkdir(staging.folder, { mode: 0o700 });
  await mkdir(staging.files);
  return staging;
}

/** Syncs a folder and its subfolders to disk. Callers have synced the contents of the files already. */
export async function syncTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await syncTree(path.join(folder, entry.name));
  }
  await sync(folder);
}

async function sync(place: string): Promise<void> {
  const handle = await open(place, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The names of stored files in a folder; empty when there is no such folder. */
async function storedIn(folder: string): Promise<string[]> {
  return (await namesIn(folder)).filter(isKey);
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function exists(place: string): Promise<boolean> {
  try {
    await stat(place);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";

/** Whether any file is stored in DATA_DIR. */
export const hasFiles = async (dataDir: string): Promise<boolean> => (await storedIn(filesRoot(dataDir))).length > 0;

/** Throws, before anything is changed, when the current files could not be moved away later. */
export async function checkMovable(dataDir: string): Promise<void> {
  const root = filesRoot(dataDir);
  const { dev } = await stat(root);
  for (const place of (await storedIn(root)).map((name) => path.join(root, name))) {
    if ((await stat(place)).dev !== dev) throw new Error(`${place} is on another disk than ${root}`);
    await access(place, constants.W_OK);
  }
}

/** Removes the staging folders of interrupted restores. Must be called only when no restore is pending. */
export async function removeLeftovers(dataDir: string): Promise<void> {
  const root = filesRoot(dataDir);
  const isStaging = (name: string) => name.startsWith(stagingPrefix) || name.startsWith(rowsOnlyPrefix);
  for (const name of (await namesIn(root)).filter(isStaging)) {
    await rm(path.join(root, name), { recursive: true });
  }
}

/** Records, in the transaction of `client`, that the staged files become current with its commit. */
export async function notePending(client: pg.Client, id: string): Promise<void> {
  await client.query(`drop schema if exists ${pendingSchema} cascade; create schema ${pendingSchema}`);
  await client.query(`create table ${pendingSchema}.pending (id text not null)`);
  await client.query(`insert into ${pendingSchema}.pending (id) values ($1)`, [id]);
}

/**
 * Finishes the pending restore of a database, if there is one. Resolves to false when its files are not in `dataDir`.
 * The caller holds the migration lock.
 */
export async function finishPending(client: pg.Client, dataDir: string): Promise<boolean> {
  const noted = await client.query("select from pg_namespace where nspname = $1", [pendingSchema]);
  if (noted.rowCount === 0) return true;
  const [pending] = await queryRows(client, { id: text }, `select id from ${pendingSchema}.pending`);
  const staging = getStaging(dataDir, pending?.id ?? "");
  if (!(await exists(staging.folder))) return false;
  await switchFiles(dataDir, staging);
  await client.query(`set synchronous_commit = on; drop schema ${pendingSchema} cascade`);
  await rm(staging.folder, { recursive: true, force: true }).catch(() => {}); // or by the next restore
  return true;
}

/** Every step can be repeated. Once `replaced` exists, it has all old files, and those in the root are new. */
async function switchFiles(dataDir: string, staging: Staging): Promise<void> {
  const root = filesRoot(dataDir);
  if (!isRowsOnly(staging.id)) await replaceFiles(root, staging);
  if (await exists(staging.secret)) await take(staging.secret, path.join(dataDir, "auth-secret"));
  if (await exists(staging.mark)) await take(staging.mark, path.join(root, markName));
  await sync(dataDir);
}

async function replaceFiles(root: string, staging: Staging): Promise<void> {
  const leaving = path.join(staging.folder, "leaving");
  const replaced = path.join(staging.folder, "replaced");
  if (!(await exists(replaced))) {
    await mkdir(leaving, { recursive: true });
    await moveStored(root, leaving);
    await rename(leaving, replaced);
    await sync(staging.folder);
  }
  await moveStored(staging.files, root);
}

async function moveStored(from: string, to: string): Promise<void> {
  for (const name of await storedIn(from)) await rename(path.join(from, name), path.join(to, name));
  await sync(to);
  await sync(from);
}

/** Copies instead of renames, because DATA_DIR may be on another disk than its files. */
async function take(from: string, to: string): Promise<void> {
  await copyFile(from, `${to}.new`);
  await sync(`${to}.new`);
  await rename(`${to}.new`, to);
}

/**
 * Finishes a restore that was interrupted after its commit. Must be called at every start, before files and AUTH_SECRET
 * are used. Throws an Error for the operator when the restored files are not in `dataDir`.
 */
export async function finishRestore(databaseUrl: string, dataDir: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "muster-restore" });
  client.on("error", () => {});
  await client.connect();
  try {
    await awaitLock(client, restoreLock);
    if (await finishPending(client, dataDir)) return;
    throw new Error(
      `A restore into this database was interrupted, and its files are not in ${filesRoot(dataDir)}. ` +
        "Set DATA_DIR to the folder that was restored into, or restore again with --force.",
    );
  } finally {
    await client.end().catch(() => {}); // ends the session and with it the lock
  }
}
