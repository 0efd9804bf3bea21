import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type pg from "pg";
import { withConnection } from "@/server/platform/database/connection";
import { type EmbeddedDatabase, killEmbeddedDatabase, openEmbeddedDatabase } from "@/server/platform/database/embedded";
import { migrateDatabase } from "@/server/platform/database/migrate";
import { readMigrations } from "@/server/platform/database/migration-files";
import type { Log } from "@/server/platform/log";
import { readStartTime, waitForLock } from "@/server/platform/process/file-lock.mjs";
import { bool, queryRows, text } from "@/server/platform/rows";

/** Everything that tests leave on disk is below this folder of the checkout. */
export const testFolder = path.resolve(".test");

const runsFolder = path.join(testFolder, "runs");

/** A run of the tests: the server it shares with other runs on this checkout, and the template of its databases. */
export interface TestRun {
  id: string;
  adminUrl: string;
  template: string;
  close(): Promise<void>;
}

/** Test data need not survive a power failure. */
const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "200" };

function formatUrl(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.toString();
}

/** Runs `work` on one connection, which is closed afterwards. */
export const onServer = <T>(adminUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  withConnection({ connectionString: adminUrl }, work);

/**
 * Starts the test server with a migrated template and removes what earlier runs left. Several runs may share the
 * server; the last to close stops it.
 */
export async function openTestRun(log: Log): Promise<TestRun> {
  fs.mkdirSync(runsFolder, { recursive: true });
  const release = await waitForLock(path.join(testFolder, "lock"));
  const migrations = readMigrations();
  // The parts that migrations make are those of the next two weeks.
  const week = Math.floor(Date.now() / (7 * 86_400_000));
  const hash = createHash("sha256")
    .update(JSON.stringify([migrations, week]))
    .digest("hex")
    .slice(0, 12);
  const id = String(process.pid);
  const template = `template_${hash}`;
  const note = path.join(runsFolder, id);
  let database: EmbeddedDatabase | undefined;
  try {
    database = await openServer(log);
    fs.writeFileSync(note, JSON.stringify({ start: readStartTime(process.pid), template }));
    await onServer(database.url, async (client) => {
      await clearRemains(client);
      await makeTemplate(client, formatUrl(database?.url ?? "", template), template, log);
    });
    return { id, adminUrl: database.url, template, close: () => closeTestRun(id, database) };
  } catch (error) {
    fs.rmSync(note, { force: true });
    if (liveRuns().length === 0) await database?.stop();
    throw error;
  } finally {
    release();
  }
}

/** Opens the server of earlier runs, or a new one if its files are corrupt, as after a power failure without fsync. */
async function openServer(log: Log): Promise<EmbeddedDatabase> {
  const options = { dataDir: testFolder, log, settings };
  try {
    return await openEmbeddedDatabase(options);
  } catch (error) {
    log.warn({ err: error }, "the test database cannot be opened and is recreated");
    fs.rmSync(path.join(testFolder, "postgres"), { recursive: true, force: true });
    return openEmbeddedDatabase(options);
  }
}

async function closeTestRun(id: string, database: EmbeddedDatabase | undefined): Promise<void> {
  const release = await waitForLock(path.join(testFolder, "lock"));
  try {
    fs.rmSync(path.join(runsFolder, id), { force: true });
    await removeData(id);
    if (liveRuns().length === 0) await database?.stop();
    else if (database) await onServer(database.url, clearRemains);
  } finally {
    release();
  }
}

/** Removes what a run left on disk, with the servers that `openOwnServer` started there. */
async function removeData(id: string): Promise<void> {
  const folder = path.join(testFolder, "data", id);
  const workers = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  for (const worker of workers) await killEmbeddedDatabase(path.join(folder, worker));
  fs.rmSync(folder, { recursive: true, force: true });
}

/** Lists the runs whose process is alive, and removes the notes and data of others. */
function liveRuns(): { id: string; template: string }[] {
  return fs.readdirSync(runsFolder).flatMap((id) => {
    const note = readNote(path.join(runsFolder, id));
    if (note && readStartTime(Number(id)) === note.start) return [{ id, template: note.template }];
    fs.rmSync(path.join(runsFolder, id), { force: true });
    fs.rmSync(path.join(testFolder, "data", id), { recursive: true, force: true });
    return [];
  });
}

function readNote(file: string): { start: string; template: string } | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"));
  } catch {
    return undefined; // the process was killed between creating and writing it
  }
}

async function clearRemains(client: pg.Client): Promise<void> {
  const live = liveRuns();
  const names = await queryRows(
    client,
    { datname: text, datistemplate: bool },
    "select datname::text, datistemplate from pg_database where datname ~ '^(run|template)_'",
  );
  for (const { datname, datistemplate } of names) {
    const wanted = live.some((run) => run.template === datname || datname.startsWith(`run_${run.id}_`));
    if (wanted) continue;
    // A template cannot be dropped; one whose removal was interrupted cannot be changed.
    if (datistemplate) await client.query(`alter database "${datname}" is_template false`);
    await client.query(`drop database if exists "${datname}" with (force)`);
  }
}

async function makeTemplate(client: pg.Client, url: string, template: string, log: Log): Promise<void> {
  const statement = "select datistemplate from pg_database where datname = $1";
  const [existing] = await queryRows(client, { datistemplate: bool }, statement, [template]);
  if (existing?.datistemplate) return; // it is marked only when complete
  await client.query(`drop database if exists "${template}" with (force)`);
  await client.query(`create database "${template}"`);
  await migrateDatabase(url, log);
  await client.query(`alter database "${template}" is_template true allow_connections false`);
}

/** Creates a database with the product's schema for one worker, unless it exists. Resolves to its URL. */
export async function cloneTemplate(adminUrl: string, template: string, name: string): Promise<string> {
  await onServer(adminUrl, async (client) => {
    const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [name]);
    if (!rowCount) await client.query(`create database "${name}" template "${template}" strategy wal_log`);
  });
  return formatUrl(adminUrl, name);
}

/**
 * Starts a server with a migrated database for one worker, unless it runs. It ends with the run, or within a minute after
 * its files are removed. Its commits are on disk, as far as PostgreSQL knows, so that all can see them at once.
 */
export async function openOwnServer(dataDir: string, log: Log): Promise<string> {
  const ownSettings = { ...settings, synchronous_commit: "on", max_connections: "50", shared_buffers: "64MB" };
  const { url } = await openEmbeddedDatabase({ dataDir, log, settings: ownSettings });
  await migrateDatabase(url, log);
  return url;
}

/**
 * Creates a database for one test, which is dropped when the run ends: empty, or a copy of another one, to which nothing
 * may be connected. Resolves to its URL.
 */
export async function scratchDatabase(run: Pick<TestRun, "id" | "adminUrl">, original?: string): Promise<string> {
  const name = `run_${run.id}_${randomBytes(6).toString("hex")}`;
  const copied = original === undefined ? "" : ` template "${new URL(original).pathname.slice(1)}" strategy wal_log`;
  await onServer(run.adminUrl, (client) => client.query(`create database "${name}"${copied}`));
  return formatUrl(run.adminUrl, name);
}
