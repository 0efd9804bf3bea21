import { randomUUID } from "node:crypto";
import { access, constants, copyFile, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { migrationLock } from "@/server/platform/database/migrate";
import { queryRows, text } from "@/server/platform/rows";
import { isKey } from "@/server/platform/storage/keys";

/**
 * A restore gathers new files in a folder beside the present ones, and new rows in one transaction, which also notes
 * the folder's id here. Until its commit all is as it was. From then on the files have to be switched, which can be
 * begun again at any point: by the restore, by the next start, or by the next restore.
 */
const pendingSchema = "muster_restore";

/** Names with a dot in front are no storage keys, so this never meets a stored file. */
const stagingPrefix = ".restore-";

export interface Staging {
  id: string;
  folder: string;
  /** The new content of DATA_DIR/files. */
  files: string;
  /** For the rows of the backup until they are in the database; made and removed by the restore. */
  tables: string;
  /** The AUTH_SECRET that becomes DATA_DIR's own, if this file is made. */
  secret: string;
}

const filesRoot = (dataDir: string): string => path.join(dataDir, "files");

function getStaging(dataDir: string, id: string): Staging {
  const folder = path.join(filesRoot(dataDir), `${stagingPrefix}${id}`);
  const inside = (name: string) => path.join(folder, name);
  return { id, folder, files: inside("files"), tables: inside("tables"), secret: inside("auth-secret") };
}

/** Makes the folder in which a restore gathers files. It lies inside DATA_DIR/files, which may be a disk of its own. */
export async function makeStaging(dataDir: string): Promise<Staging> {
  const staging = getStaging(dataDir, randomUUID());
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  await mkdir(filesRoot(dataDir), { recursive: true });
  await mkdir(staging.folder, { mode: 0o700 });
  await mkdir(staging.files);
  return staging;
}

/** Brings a folder with all that was made in it to the disk. The contents of its files are there already. */
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

/** What is stored in a folder; empty when there is no such folder. */
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

/** Throws, while nothing is changed, when the files that are there could not be moved out of the way later. */
export async function checkMovable(dataDir: string): Promise<void> {
  const root = filesRoot(dataDir);
  const { dev } = await stat(root);
  for (const place of (await storedIn(root)).map((name) => path.join(root, name))) {
    if ((await stat(place)).dev !== dev) throw new Error(`${place} is on another disk than ${root}`);
    await access(place, constants.W_OK);
  }
}

/** Removes what interrupted restores left. To be called once none is pending. */
export async function removeLeftovers(dataDir: string): Promise<void> {
  const root = filesRoot(dataDir);
  for (const name of (await namesIn(root)).filter((each) => each.startsWith(stagingPrefix))) {
    await rm(path.join(root, name), { recursive: true });
  }
}

/** Notes inside the transaction of `client` that its commit makes the staged files those of the installation. */
export async function notePending(client: pg.Client, id: string): Promise<void> {
  await client.query(`drop schema if exists ${pendingSchema} cascade; create schema ${pendingSchema}`);
  await client.query(`create table ${pendingSchema}.pending (id text not null)`);
  await client.query(`insert into ${pendingSchema}.pending (id) values ($1)`, [id]);
}

/**
 * Finishes the restore that is pending in a database, if one is. False when its files are not in `dataDir`. The caller
 * holds the migration lock.
 */
export async function finishPending(client: pg.Client, dataDir: string): Promise<boolean> {
  const noted = await client.query("select from pg_namespace where nspname = $1", [pendingSchema]);
  if (noted.rowCount === 0) return true;
  const [pending] = await queryRows(client, { id: text }, `select id from ${pendingSchema}.pending`);
  const staging = getStaging(dataDir, pending?.id ?? "");
  if (!(await exists(staging.folder))) return false;
  await switchFiles(dataDir, staging);
  await client.query(`set synchronous_commit = on; drop schema ${pendingSchema} cascade`);
  await rm(staging.folder, { recursive: true, force: true }).catch(() => {}); // else the next restore removes it
  return true;
}

/** Every step can be repeated. Once `replaced` is there, all old files are in it, and what lies in the root is new. */
async function switchFiles(dataDir: string, staging: Staging): Promise<void> {
  const root = filesRoot(dataDir);
  const leaving = path.join(staging.folder, "leaving");
  const replaced = path.join(staging.folder, "replaced");
  if (!(await exists(replaced))) {
    await mkdir(leaving, { recursive: true });
    await moveStored(root, leaving);
    await rename(leaving, replaced);
    await sync(staging.folder);
  }
  await moveStored(staging.files, root);
  if (await exists(staging.secret)) await takeSecret(staging.secret, path.join(dataDir, "auth-secret"));
  await sync(dataDir);
}

async function moveStored(from: string, to: string): Promise<void> {
  for (const name of await storedIn(from)) await rename(path.join(from, name), path.join(to, name));
  await sync(to);
  await sync(from);
}

/** By a copy, since DATA_DIR may be on another disk than its files. */
async function takeSecret(from: string, to: string): Promise<void> {
  await copyFile(from, `${to}.new`);
  await sync(`${to}.new`);
  await rename(`${to}.new`, to);
}

/**
 * Finishes a restore that was interrupted after its commit. To be called at every start, before files and AUTH_SECRET
 * are used. Throws an Error fit for the operator when its files are not here.
 */
export async function finishRestore(databaseUrl: string, dataDir: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "muster-restore" });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [migrationLock]);
    if (await finishPending(client, dataDir)) return;
    throw new Error(
      `A restore into this database was interrupted, and its files are not in ${filesRoot(dataDir)}. ` +
        "Set DATA_DIR to the folder that was restored into, or restore again with --force.",
    );
  } finally {
    await client.end().catch(() => {}); // ends the session and with it the lock
  }
}
