import { pool } from "@/server/platform/db";
import { jobs, type JobDefinition } from "@/server/platform/jobs/definitions";
import { countJobs } from "@/server/platform/jobs/graphile";
import { cachedReader, metrics, onScrape, resultInTime } from "@/server/platform/metrics";

const names = (Object.values(jobs) as JobDefinition[]).map(({ name }) => name);
const states = ["waiting", "scheduled", "running", "exhausted"] as const;

async function readQueue(): Promise<void> {
  const counts = await resultInTime(() => countJobs(pool));
  const { jobs: gauge, oldestJob, queueUp } = metrics;
  gauge.reset();
  oldestJob.reset();
  queueUp.set(counts ? 1 : 0);
  if (!counts) return;
  // Zeros too, so that a graph does not end where the queue becomes empty.
  for (const task of names) {
    for (const state of states) gauge.set({ task, state }, 0);
    oldestJob.set({ task }, 0);
  }
  for (const { task, oldest_seconds: seconds, ...count } of counts) {
    for (const state of states) gauge.set({ task, state }, count[state]);
    oldestJob.set({ task }, seconds);
  }
}

/** Adds the state of the queue to the metrics of this process. */
export const observeQueue = (): void => onScrape("queue", cachedReader(readQueue));
