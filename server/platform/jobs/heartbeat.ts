import { Worker } from "node:worker_threads";
import { env } from "@/server/platform/env";
import { releaseLostJobs } from "@/server/platform/jobs/graphile";
import { logFor } from "@/server/platform/log";
import { processId } from "@/server/platform/process-id";
import { warnRepeated } from "@/server/platform/repeated-warnings";

const log = logFor("heartbeat");

/** How long the last heartbeat of a pool is kept. */
const keepMs = 10 * 60_000;

export interface Heartbeat {
  /** Starts the heartbeat of a worker pool. */
  add: (poolId: string) => void;
  stop: () => Promise<void>;
}

/**
 * Writes heartbeats of this process's worker pools every 2 s from a separate thread, and releases the jobs of pools
 * without one for 10 s (graphile-worker's own limit is four hours). `onFailure` is called when the thread dies, after
 * which this process would lose its own jobs.
 */
export function startHeartbeat(onFailure: (error: Error) => void, beatMs = 2_000, deadAfterMs = 10_000): Heartbeat {
  const thread = new Worker(new URL("./heartbeat-thread.mjs", import.meta.url), {
    workerData: {
      ...{ connectionString: env.DATABASE_URL, processId: processId(), beatMs, deadAfterMs, keepMs },
      releaseLostJobs: releaseLostJobs(deadAfterMs / 1_000),
    },
    execArgv: [],
  });
  let stopped: () => void = () => {};
  thread.on("message", (message: { released?: string[]; error?: string; stopped?: true }) => {
    if (message.released) log.warn({ pools: message.released }, "released the jobs of a worker without a heartbeat");
    if (message.error) warnRepeated(log, { error: message.error }, "could not write the heartbeat");
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
