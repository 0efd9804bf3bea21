import { pool } from "@/server/platform/db";
import { deleteExpired } from "@/server/platform/expired-rows";
import { jobs, type JobDefinition } from "@/server/platform/jobs/definitions";
import { removeExhaustedJobs, removeLongExhaustedJobs } from "@/server/platform/jobs/graphile";
import { handle } from "@/server/platform/jobs/handler";

const definitions: readonly JobDefinition[] = Object.values(jobs);
const recurring = definitions.filter((definition) => definition.recurring).map(({ name }) => name);

/** How long a job without attempts left can still be seen and run again (`muster jobs`). */
const exhaustedDays = 30;

/** Deletes what has expired and is needed by nobody. */
export const daily = handle(jobs.cleanDaily, async (_payload, { log }) => {
  const windows = await deleteExpired("audit_windows");
  const keys = await deleteExpired("idempotency_keys");
  const exhausted = await removeLongExhaustedJobs(pool, exhaustedDays);
  const suspects = await deleteExpired("suspects");
  const ends = await deleteExpired("deaf_processes");
  const shares = await deleteExpired("recording_shares");
  log.info({ windows, keys, exhausted, suspects, ends, shares }, "deleted what has expired");
});

/** Removes recurring jobs without attempts left, which a dying worker leaves and which would stay forever. */
export const clean = handle(jobs.cleanQueue, async () => {
  await removeExhaustedJobs(pool, recurring);
});
