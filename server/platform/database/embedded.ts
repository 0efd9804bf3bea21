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
  /** Overrides of the default server settings, such as `{ fsync: "off" }`; not applied to an adopted server. */
  settings?: Record<string, string>;
  /** Restarts the server whenever it dies, until `stop`. For the supervisor only. */
  keepAlive?: boolean;
}

export interface EmbeddedDatabase {
  url: string;
  pid: number;
  /** True when the server was running already: of another Muster, or left behind by one that was killed. */
  adopted: boolean;
  /** Disconnects clients immediately and shuts the server down cleanly; after `timeoutMs`, without a checkpoint. */
  stop(timeoutMs?: number): Promise<void>;
  /** Ends the server within about a second without a checkpoint; its next start runs recovery. */
  kill(): Promise<void>;
}

const defaultSettings: Record<string, string> = {
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
 * Makes sure that the database of `dataDir` is running and accepts SQL: creates the cluster if there is none, adopts a
 * running server or starts one, and waits for the end of recovery. Throws an Error for the operator when it cannot.
 */
export async function openEmbeddedDatabase(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const runAs = chooseRunAs();
  let cluster = disk.locateCluster(path.resolve(options.dataDir));
  const running = disk.isInitialised(cluster) ? findServer(cluster) : undefined;
  if (running) {
    const lives = () => servesCluster(running.pid, cluster);
    const answers = await waitForDatabase(disk.clusterUrl(cluster, running.port), lives).then(
      () => true,
      // One that ends meanwhile, as it was killed just before, leaves its place to a new one.
      (error: unknown) => (lives() ? Promise.reject(error) : false),
    );
    if (answers) return supervise(cluster, running.port, running.pid, true, options, runAs);
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

/** Starts a server and waits until it accepts SQL. Resolves to its pid. */
async function startServer(
  cluster: disk.Cluster,
  port: number,
  options: EmbeddedOptions,
  runAs: RunAs,
): Promise<number> {
  const settings = Object.entries({ ...defaultSettings, ...options.settings }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  const programs = disk.preparePrograms(cluster, runAs);
  const server = path.join(programs, "bin", "postgres");
  const [file, args] = runAs.command(server, ["-D", cluster.data, "-p", String(port), ...settings]);

  rotateLog(cluster.log);
  const from = fs.statSync(cluster.log, { throwIfNoEntry: false })?.size ?? 0;
  const output = fs.openSync(cluster.log, "a", 0o600);
  // A separate process group: Ctrl-C must not reach it, because web and worker still need it to finish their work.
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

function rotateLog(file: string) {
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

  /** Retries on the same port, because every process of Muster has it in its settings. */
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

  const watching = options.keepAlive ? watch() : Promise.resolve();
  return {
    url: disk.clusterUrl(cluster, port),
    get pid() {
      return pid;
    },
    adopted,
    async stop(timeoutMs = 8_000) {
      stopping = true;
      stopped.abort();
      await watching;
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

/** Kills the server that runs on `dataDir`, if any, like `EmbeddedDatabase.kill`; also while it is starting. */
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
  const hasEnded = async (withinMs: number) => {
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
      // It has just ended.
    }
  };
  if (await hasEnded(0)) return;
  signal("SIGINT", "fast");
  if (await hasEnded(fastMs)) return;
  signal("SIGQUIT", "immediate");
  if (await hasEnded(immediateMs)) return;
  signal("SIGKILL", "immediate");
  await hasEnded(2_000);
}
