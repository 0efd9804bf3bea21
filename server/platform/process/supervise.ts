import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type EmbeddedDatabase, killEmbeddedDatabase, openEmbeddedDatabase } from "@/server/platform/database/embedded";
import { migrateDatabase } from "@/server/platform/database/migrate";
import { finishRestore } from "@/server/platform/database/pending-restore";
import { waitForDatabase } from "@/server/platform/database/wait-for-database";
import { env, informNext, localUrl, applySettings } from "@/server/platform/env";
import { logFor } from "@/server/platform/log";
import { keptAuthSecret } from "@/server/platform/process/auth-secret";
import { type Child, keepRunning } from "@/server/platform/process/child";
import { FatalError } from "@/server/platform/process/fatal-error";
import { tryLock } from "@/server/platform/process/file-lock.mjs";
import { onStopSignal } from "@/server/platform/process/stopping";

const log = logFor("supervisor");

/** How long web and worker get to finish what they do, then the database. */
const childrenMs = 20_000;
const databaseMs = 8_000;
/** After so long a stop ends without waiting for anything more, which takes no longer than `killMs`. */
const stopMs = 30_000;
const killMs = 2_000;
/** How long a database of somebody else's may take to come up beside us. */
const databaseWaitMs = 60_000;

/**
 * For glibc: reading a recording frees buffers of megabytes all the time, which it would keep, in pieces; mapped ones
 * go back to the system. A third less memory on a large recording.
 */
const workerMemory = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "131072" };

export interface Commands {
  web: [string, ...string[]];
  worker: [string, ...string[]];
}

/** One supervisor per DATA_DIR: two would run the same jobs' sweeps twice and fight for the port. */
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

/** Sets what every role needs and may not have been given: the database's schema, a restore's files, the secret. */
export async function prepareDatabase(): Promise<void> {
  if (!env.DATABASE_URL)
    throw new FatalError("This role needs DATABASE_URL. Only --role all brings a database of its own.");
  const deadline = performance.now() + databaseWaitMs;
  try {
    await waitForDatabase(env.DATABASE_URL, () => performance.now() < deadline);
    await migrateDatabase(env.DATABASE_URL, logFor("migrate"));
    await finishRestore(env.DATABASE_URL, env.DATA_DIR);
  } catch (error) {
    throw new FatalError(
      `The database could not be prepared. ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (!env.AUTH_SECRET) applySettings({ AUTH_SECRET: keptAuthSecret(env.DATA_DIR) }); // only now: a restore brings its own
}

/**
 * Runs the whole product: database, migrations, then web and worker as processes of their own, which are started again
 * when they die. Resolves once it is being served. Throws a FatalError when it cannot be. A stop signal ends all parts in
 * turn and then this process; a second one, or 30 s, kills them.
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
      // The server may be starting, and `database` not be known yet.
      if (opening) await (database ? database.kill() : killEmbeddedDatabase(env.DATA_DIR));
      release();
    } finally {
      process.exit(1);
    }
  };
  const stop = (code: number): Promise<void> => {
    stopping ??= (async () => {
      setTimeout(() => void kill("the stop took too long"), stopMs);
      await Promise.all(children.map((child) => child.stop(childrenMs)));
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
    await prepareDatabase();
  } catch (error) {
    if (stopping) return stopping;
    await database?.stop(databaseMs);
    release();
    throw error;
  }
  if (stopping) return stopping;
  informNext(); // for the development server, which is not our program

  let port: number | undefined; // once the web server has told that it listens
  const onMessage = (message: unknown) => {
    if (typeof message === "object" && message && "port" in message) port = Number(message.port);
  };
  const onFatal = () => void stop(1);
  children = [
    keepRunning({ name: "web", command: commands.web, log, onMessage, onFatal }),
    keepRunning({ name: "worker", command: commands.worker, environment: workerMemory, log, onFatal }),
  ];
  while (!stopping && !(await isServed(port))) await sleep(100);
  if (!stopping)
    process.stdout.write(`\nMuster is ready at ${env.PUBLIC_URL_GIVEN ? env.PUBLIC_URL : localUrl(port)}\n\n`);
}

/** Whether `/readyz` of our own web server answers 200. */
export async function answersReady(port: number | undefined): Promise<boolean> {
  if (port === undefined) return false; // on this port another program might answer
  try {
    const response = await fetch(`${localUrl(port)}/readyz`, { signal: AbortSignal.timeout(5_000) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
