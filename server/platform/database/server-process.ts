import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cluster } from "@/server/platform/database/cluster";

/** The contents of a running server's `postmaster.pid`. */
export interface ServerProcess {
  pid: number;
  port: number;
}

const pidFile = (cluster: Cluster) => path.join(cluster.data, "postmaster.pid");

function readPidFile(cluster: Cluster): ServerProcess | undefined {
  if (!fs.existsSync(pidFile(cluster))) return undefined;
  const [pid, , , port] = fs.readFileSync(pidFile(cluster), "utf8").split("\n");
  return pid && port ? { pid: Number(pid), port: Number(port) } : undefined;
}

/** The command line of a process; empty when it has ended or is a zombie. */
function readCommand(pid: number): string {
  try {
    if (process.platform === "linux") return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    if (process.platform === "win32") return (process.kill(pid, 0), "postgres");
    return execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" });
  } catch {
    return "";
  }
}

/** Whether process `pid` is a PostgreSQL server on this cluster, and not another program with a reused pid. */
export function servesCluster(pid: number, cluster: Cluster): boolean {
  const command = readCommand(pid);
  return process.platform === "win32" ? command !== "" : command.includes(cluster.data);
}

/** The server that runs on the cluster, also one that outlived the Muster that started it. */
export function findServer(cluster: Cluster): ServerProcess | undefined {
  const found = readPidFile(cluster);
  return found && servesCluster(found.pid, cluster) ? found : undefined;
}

/**
 * Cleans up after a killed server, so that a new one can start: waits for its orphaned backends to end, and removes a
 * `postmaster.pid` whose pid now belongs to another program, because PostgreSQL would refuse to start.
 */
export async function clearRemains(cluster: Cluster): Promise<void> {
  const found = readPidFile(cluster);
  if (!found || servesCluster(found.pid, cluster)) return;
  for (let waited = 0; waited < 30_000 && listBackends(cluster).length > 0; waited += 50) await sleep(50);
  if (listBackends(cluster).length > 0)
    throw new Error(`Processes of a killed PostgreSQL still work on ${cluster.data}.`);
  try {
    process.kill(found.pid, 0);
    fs.rmSync(pidFile(cluster), { force: true });
  } catch {
    // No such process: PostgreSQL detects that itself and also checks that its shared memory is unused.
  }
}

/** On Linux, finds backends by their working directory in /proc. Elsewhere PostgreSQL's own check must suffice. */
function listBackends(cluster: Cluster): number[] {
  if (process.platform !== "linux") return [];
  const data = fs.realpathSync(cluster.data);
  return fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return fs.readlinkSync(`/proc/${pid}/cwd`) === data;
      } catch {
        return false;
      }
    });
}
