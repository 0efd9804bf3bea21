import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type EmbeddedDatabase, killEmbeddedDatabase, openEmbeddedDatabase } from "@/server/platform/database/embedded";
import { awaitMigrations, migrateDatabase } from "@/server/platform/database/migrate";
import { finishRestore } from "@/server/platform/database/pending-restore";
import { refusePooler } from "@/server/platform/database/pooler";
import { waitForDatabase } from "@/server/platform/database/wait-for-database";
import { env, informNext, localUrl, applySettings } from "@/server/platform/env";
import { claimStore } from "@/server/platform/installation/claim-store";
import { logFor } from "@/server/platform/log";
import { keptAuthSecrets } from "@/server/platform/process/auth-secret";
import { type Child, keepRunning } from "@/server/platform/process/child";
import { FatalError } from "@/server/platform/process/fatal-error";
import { tryLock } from "@/server/platform/process/file-lock.mjs";
import { onStopSignal } from "@/server/platform/process/stopping";

const log = logFor("supervisor");

/** Time for web and worker to finish after the web process has stopped accepting requests, then for the database. */
const childrenMs = 20_000;
const databaseMs = 8_000;
/** After this time a stop kills everything that is left, which takes no longer than `killMs`. */
const stopMs = 30_000;
const killMs = 2_000;
/** How long an external database may take to start. */
const databaseWaitMs = 60_000;

/**
 * For glibc: reading a recording frees large buffers all the time. Freed mapped buffers are returned to the system;
 * heap ones would stay as fragments. Saves a third of the memory on a large recording.
 */
const workerMemory = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "131072" };

export interface Commands {
  web: [string, ...string[]];
  worker: [string, ...string[]];
}

/** Allows one supervisor per DATA_DIR: two would share files and compete for the port. */
function claimDataDir(folder: string): () => void {
  const lock = lockFolder(folder);
  if (lock.held) return lock.release;
  const who = lock.pid ? ` (process ${lock.pid})` : "";
  throw new FatalError(`Muster already runs on ${folder}${who}. Stop it, or set another DATA_DIR and PORT.`);
}

function lockFolder(folder: string): ReturnType<typeof tryLock> {
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o711 });
    return tryLock(path.join(folder, "muster.lock"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FatalError(`DATA_DIR cannot be written: ${reason}. Set DATA_DIR to a folder that can.`);
  }
}

async function openDatabase(): Promise<EmbeddedDatabase> {
  try {
    const database = await openEmbeddedDatabase({ dataDir: env.DATA_DIR, log: logFor("database"), keepAlive: true });
    applySettings({ DATABASE_URL: database.url });
    return database;
  } catch (error) {
    log.error({ err: error }, "embedded database");
    throw new FatalError(`The embedded database does not start. ${error instanceof Error ? error.message : ""}`);
  }
}

/** Refuses a store that is not the one of the database, or that cannot be reached. */
async function checkStore(databaseUrl: string): Promise<void> {
  try {
    await claimStore(databaseUrl);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FatalError(`The stored files cannot be used. ${reason}`);
  }
}

/**
 * Prepares what every role needs: the database's schema, the files of an interrupted restore, AUTH_SECRET. `alone`: no
 * other host uses the database.
 */
export async function prepareDatabase({ alone = false } = {}): Promise<void> {
  if (!env.DATABASE_URL)
    throw new FatalError("This role needs DATABASE_URL. Only --role all brings a database of its own.");
  if (env.STORAGE !== "disk" && !alone && !env.AUTH_SECRET)
    throw new FatalError("With files in a bucket, hosts share no folder: set AUTH_SECRET to the same value on all.");
  const deadline = performance.now() + databaseWaitMs;
  try {
    await waitForDatabase(env.DATABASE_URL, () => performance.now() < deadline);
    if (!alone) await refusePooler(env.DATABASE_URL);
    if (env.MIGRATIONS === "wait") await awaitMigrations(env.DATABASE_URL, logFor("migrate"));
    else await migrateDatabase(env.DATABASE_URL, logFor("migrate"));
    await finishRestore(env.DATABASE_URL, env.DATA_DIR);
  } catch (error) {
    throw new FatalError(
      `The database could not be prepared. ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  await checkStore(env.DATABASE_URL);
  // After the restore, which may replace the file.
  if (!env.AUTH_SECRET) applySettings({ AUTH_SECRETS: keptAuthSecrets(env.DATA_DIR) });
}

/**
 * Runs the database, migrations, and then web and worker as child processes, which are restarted when they die.
 * Resolves once `isServed` is true; throws a FatalError when it cannot start. A stop signal ends all processes in turn;
 * a second signal, or 30 s, kills them.
 */
export async function supervise(
  commands: Commands,
  isServed: (port: number | undefined) => Promise<boolean>,
): Promise<void> {
  process.title = "muster";
  let children: Child[] = [];
  let opening: Promise<EmbeddedDatabase> | undefined;
  let database: EmbeddedDatabase | undefined;
  let stopping: Promise<void> | undefined;
  let killed = false;
  const release = claimDataDir(env.DATA_DIR);

  const kill = async (reason: string): Promise<void> => {
    killed = true;
    setTimeout(() => process.exit(1), killMs);
    try {
      log.warn({ reason }, "killing what has not ended");
      for (const child of children) child.kill();
      // The server may still be starting, with `database` not set yet.
      if (opening) await (database ? database.kill() : killEmbeddedDatabase(env.DATA_DIR));
      release();
    } finally {
      process.exit(1);
    }
  };
  const stop = (code: number): Promise<void> => {
    stopping ??= (async () => {
      const drainMs = env.DRAIN_SECONDS * 1_000;
      setTimeout(() => void kill("the stop took too long"), drainMs + stopMs);
      await Promise.all(children.map((child) => child.stop(drainMs + childrenMs)));
      const opened = await opening?.catch(() => undefined);
      await opened?.stop(databaseMs);
      release();
      log.info("stopped");
      process.exit(killed ? 1 : code);
    })();
    return stopping;
  };
  onStopSignal(
    (signal) => {
      log.info({ signal }, "stopping");
      void stop(0);
    },
    (signal) => void kill(signal),
  );

  try {
    if (!env.DATABASE_URL) {
      opening = openDatabase();
      database = await opening;
    }
    if (stopping) return stopping;
    await prepareDatabase({ alone: database !== undefined });
  } catch (error) {
    if (stopping) return stopping;
    await database?.stop(databaseMs);
    release();
    throw error;
  }
  if (stopping) return stopping;
  informNext(); // for Next's development server, which does not run our code

  let port: number | undefined; // set once the web server has reported that it listens
  const onMessage = (message: unknown) => {
    if (typeof message === "object" && message && "port" in message) port = Number(message.port);
  };
  const onFatal = () => void stop(1);
  children = [
    keepRunning({ name: "web", command: commands.web, log, onMessage, onFatal }),
    keepRunning({ name: "worker", command: commands.worker, environment: workerMemory, log, onFatal }),
  ];
  while (!stopping && !(await isServed(port))) await sleep(100);
  if (stopping) return;
  const ready = `Muster is ready at ${env.PUBLIC_URL_GIVEN ? env.PUBLIC_URL : localUrl(port)}`;
  if (process.stdout.isTTY) process.stdout.write(`\n${ready}\n\n`);
  else log.info(ready);
}

/** Whether `/readyz` of our own web server responds with 200. */
export async function isWebReady(port: number | undefined): Promise<boolean> {
  if (port === undefined) return false; // another program might listen on the default port
  try {
    const response = await fetch(`${localUrl(port)}/readyz`, { signal: AbortSignal.timeout(5_000) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
