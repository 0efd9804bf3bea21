import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as disk from "@/server/platform/database/cluster";
import { chooseRunAs, type RunAs } from "@/server/platform/database/run-as";
import { clearRemains, findServer, servesCluster } from "@/server/platform/database/server-process";
import { waitForDatabase } from "@/server/platform/database/wait-for-database";
import type { Log } from "@/server/platform/log";

export interface EmbeddedOptions {
  dataDir: string;
  log: Log;
  /**
   * Server settings over our own, such as `{ fsync: "off" }`. A server that is already up keeps those it was started
   * with.
   */
  settings?: Record<string, string>;
  /** Start the server again whenever it dies, until `stop`. For the one process that supervises the product. */
  keepAlive?: boolean;
}

export interface EmbeddedDatabase {
  url: string;
  pid: number;
  /** True when the server was up already: another Muster runs, or one was killed and left it behind. */
  adopted: boolean;
  /**
   * Ends the server: at once for its clients, cleanly for its files. After `timeoutMs` it leaves the rest to recovery.
   */
  stop(timeoutMs?: number): Promise<void>;
  /** Ends the server within about a second, without a checkpoint: its next start recovers. */
  kill(): Promise<void>;
}

const ourSettings: Record<string, string> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  shared_buffers: "256MB",
  max_wal_size: "2GB",
  random_page_cost: "1.1",
  jit: "off",
};

const logLimitBytes = 16 * 1024 * 1024;

/**
 * Makes sure that the database of `dataDir` is up and answers SQL: makes the cluster when there is none, adopts a
 * server that is running, and starts one otherwise, waiting until recovery is over. Throws an Error fit for the
 * operator when it cannot.
 */
export async function openEmbeddedDatabase(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const runAs = chooseRunAs();
  let cluster = disk.locateCluster(path.resolve(options.dataDir));
  const running = disk.isInitialised(cluster) ? findServer(cluster) : undefined;
  if (running) {
    await waitForDatabase(disk.clusterUrl(cluster, running.port), () => servesCluster(running.pid, cluster));
    return supervise(cluster, running.port, running.pid, true, options, runAs);
  }

  const programs = disk.preparePrograms(cluster, runAs);
  await (disk.isInitialised(cluster) ? clearRemains(cluster) : undefined);
  cluster = disk.prepareCluster(cluster, programs, runAs);
  let port = await disk.choosePort(cluster);
  const pid = await startServer(cluster, port, options, runAs).catch(async (error: unknown) => {
    if (!(error instanceof PortTaken)) throw error;
    port = await disk.choosePort(cluster, port);
    return startServer(cluster, port, options, runAs);
  });
  return supervise(cluster, port, pid, false, options, runAs);
}

class PortTaken extends Error {}

/** Starts a server and waits for its answer. Resolves to its pid. */
async function startServer(
  cluster: disk.Cluster,
  port: number,
  options: EmbeddedOptions,
  runAs: RunAs,
): Promise<number> {
  const settings = Object.entries({ ...ourSettings, ...options.settings }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  const programs = disk.preparePrograms(cluster, runAs);
  const server = path.join(programs, "bin", "postgres");
  const [file, args] = runAs.command(server, ["-D", cluster.data, "-p", String(port), ...settings]);

  turnOverLog(cluster.log);
  const from = fs.statSync(cluster.log, { throwIfNoEntry: false })?.size ?? 0;
  const output = fs.openSync(cluster.log, "a", 0o600);
  // A group of its own: Ctrl-C must reach us alone, for web and worker finish their work on a living database.
  const child = spawn(file, args, { ...runAs.options, stdio: ["ignore", output, output], detached: true });
  fs.closeSync(output);
  child.unref();
  let ended: string | undefined;
  child.once("error", (error) => (ended = error.message));
  child.once("exit", (code, signal) => (ended ??= `it ended with ${signal ?? code}`));

  try {
    await waitForDatabase(disk.clusterUrl(cluster, port), () => ended === undefined);
  } catch (error) {
    if (ended === undefined) throw error;
    const output = fs.readFileSync(cluster.log, "utf8").slice(from).trim().split("\n").slice(-8).join("\n");
    if (/could not bind|Address already in use/i.test(output)) throw new PortTaken(output);
    throw new Error(`PostgreSQL did not start (${ended}). It said:\n${output}`);
  }
  const pid = findServer(cluster)?.pid ?? child.pid;
  if (pid === undefined) throw new Error("PostgreSQL started without a process");
  return pid;
}

function turnOverLog(file: string) {
  if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > logLimitBytes) fs.renameSync(file, `${file}.old`);
}

function supervise(
  cluster: disk.Cluster,
  port: number,
  firstPid: number,
  adopted: boolean,
  options: EmbeddedOptions,
  runAs: RunAs,
): EmbeddedDatabase {
  const { log } = options;
  let pid = firstPid;
  let stopping = false;
  const stopped = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { ref: false, signal: stopped.signal }).catch(() => {});
  log.info({ database_pid: pid, port, adopted, mode: runAs.kind, data: cluster.data }, "database is up");

  const watch = async () => {
    while (!stopping) {
      await pause(250);
      if (stopping || servesCluster(pid, cluster)) continue;
      log.error({ database_pid: pid }, "database died, starting it again");
      pid = await revive();
      if (!stopping) log.info({ database_pid: pid, port }, "database is up again");
    }
  };

  /**
   * The port stays, for every process of the product knows it. Who holds it or what ails the server passes or is told.
   */
  const revive = async (): Promise<number> => {
    for (let delay = 100; !stopping; delay = Math.min(delay * 2, 5_000)) {
      try {
        await clearRemains(cluster);
        return await startServer(cluster, port, options, runAs);
      } catch (error) {
        log.error({ err: error }, "database does not start");
        await pause(delay);
      }
    }
    return pid;
  };

  const watched = options.keepAlive ? watch() : Promise.resolve();
  return {
    url: disk.clusterUrl(cluster, port),
    get pid() {
      return pid;
    },
    adopted,
    async stop(timeoutMs = 8_000) {
      stopping = true;
      stopped.abort();
      await watched;
      await endServer(cluster, pid, timeoutMs, runAs);
      log.info({ database_pid: pid }, "database has stopped");
    },
    async kill() {
      stopping = true;
      stopped.abort();
      await endServer(cluster, pid, 0, runAs, 1_000);
    },
  };
}

/** Kills the server that runs on `dataDir`, if any, as `EmbeddedDatabase.kill` does. For one that is not open yet. */
export async function killEmbeddedDatabase(dataDir: string): Promise<void> {
  const cluster = disk.locateCluster(path.resolve(dataDir));
  const running = findServer(cluster);
  if (running) await endServer(cluster, running.pid, 0, chooseRunAs(), 1_000);
}

async function endServer(
  cluster: disk.Cluster,
  pid: number,
  fastMs: number,
  runAs: RunAs,
  immediateMs = 5_000,
): Promise<void> {
  const gone = async (withinMs: number) => {
    for (let waited = 0; waited < withinMs && servesCluster(pid, cluster); waited += 20) await sleep(20);
    return !servesCluster(pid, cluster);
  };
  const signal = (name: "SIGINT" | "SIGQUIT" | "SIGKILL", mode: string) => {
    if (process.platform === "win32") {
      const control = path.join(disk.preparePrograms(cluster, runAs), "bin", "pg_ctl.exe");
      spawnSync(control, ["stop", "-D", cluster.data, "-m", mode], { stdio: "ignore" });
      return;
    }
    try {
      process.kill(pid, name);
    } catch {
      // It ended in this very moment.
    }
  };
  if (await gone(0)) return;
  signal("SIGINT", "fast");
  if (await gone(fastMs)) return;
  signal("SIGQUIT", "immediate");
  if (await gone(immediateMs)) return;
  signal("SIGKILL", "immediate");
  await gone(2_000);
}
