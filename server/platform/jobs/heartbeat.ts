import { Worker } from "node:worker_threads";
import { env } from "@/server/platform/env";
import { releaseLostJobs } from "@/server/platform/jobs/graphile";
import { logFor } from "@/server/platform/log";

const log = logFor("heartbeat");

export interface Heartbeat {
  /** Starts beating for a worker pool. */
  add: (poolId: string) => void;
  stop: () => Promise<void>;
}

/**
 * Beats for this process's worker pools from a thread of its own, every 2 s, and hands back the jobs of pools that have
 * not beaten for 10 s: graphile-worker's own limit is four hours. `onFailure` is called when the thread dies: our
 * own jobs are lost then.
 */
export function startHeartbeat(onFailure: (error: Error) => void, beatMs = 2_000, deadAfterMs = 10_000): Heartbeat {
  const thread = new Worker(new URL("./heartbeat-thread.mjs", import.meta.url), {
    workerData: { connectionString: env.DATABASE_URL, beatMs, deadAfterMs, releaseLostJobs },
    execArgv: [],
  });
  let stopped: () => void = () => {};
  thread.on("message", (message: { released?: string[]; error?: string; stopped?: true }) => {
    if (message.released) log.warn({ pools: message.released }, "released the jobs of a worker that stopped beating");
    if (message.error) log.warn({ error: message.error }, "could not beat");
    if (message.stopped) stopped();
  });
  thread.on("error", onFailure);
  return {
    add: (poolId) => thread.postMessage({ add: poolId }),
    stop: () =>
      new Promise((resolve) => {
        stopped = resolve;
        thread.once("exit", () => resolve());
        thread.postMessage({ stop: true });
      }),
  };
}
