import { pool } from "@/server/platform/db";
import type { JobDefinition } from "@/server/platform/jobs/definitions";
import { lockJob, queueJobs } from "@/server/platform/jobs/graphile";
import type { Attempt } from "@/server/platform/jobs/queue";
import { logFor } from "@/server/platform/log";
import { queryRows, text, type Wire, jsonObject } from "@/server/platform/rows";
import { compose } from "@/server/testing/composition";

const queuedJobRow = { id: text, payload: jsonObject };
type QueuedJob = Wire<typeof queuedJobRow>;

/** Lists the waiting jobs of one kind whose payload has these members. */
export async function queuedJobs(
  definition: JobDefinition,
  members: Record<string, unknown> = {},
): Promise<QueuedJob[]> {
  return queryRows(
    pool,
    queuedJobRow,
    `select j.id::text, j.payload from ${queueJobs} j
     where j.task = $1 and j.payload::jsonb @> $2::jsonb and j.locked_by is null order by j.id`,
    [definition.name, JSON.stringify(members)],
  );
}

/**
 * Runs those jobs one after the other with their handlers, as a worker does, and returns how many there were. Throws
 * what a handler throws.
 */
export async function runQueuedJobs(definition: JobDefinition, members: Record<string, unknown> = {}): Promise<number> {
  const { handlers } = await compose("job-handlers");
  const handler = handlers.find((each) => each.definition.name === definition.name);
  if (!handler) throw new Error(`no handler of ${definition.name}`);
  const jobs = await queuedJobs(definition, members);
  for (const { id, payload } of jobs) {
    const run = {
      attempt: { jobId: id, attempt: 1 },
      lastAttempt: false,
      signal: new AbortController().signal,
      log: logFor("test"),
    };
    await handler.run(payload, run);
    await removeJobs([id]);
  }
  return jobs.length;
}

/** Lists the ids of all jobs, waiting or running, whose payload has these members. */
export async function jobIds(members: Record<string, unknown>): Promise<string[]> {
  const rows = await queryRows(
    pool,
    { id: text },
    `select j.id::text from ${queueJobs} j where j.payload::jsonb @> $1::jsonb order by j.id`,
    [JSON.stringify(members)],
  );
  return rows.map(({ id }) => id);
}

/** Removes waiting jobs from the queue. */
export const removeJobs = async (ids: readonly string[]): Promise<void> =>
  void (await pool.query("select graphile_worker.complete_jobs($1::bigint[])", [ids]));

/** Fails waiting jobs permanently, as if a worker had died at every attempt. */
export const exhaustJobs = async (ids: readonly string[]): Promise<void> =>
  void (await pool.query("select graphile_worker.permanently_fail_jobs($1::bigint[])", [ids]));

/** Makes the next attempt of waiting jobs their last. */
export const leaveOneAttempt = async (ids: readonly string[]): Promise<void> =>
  void (await pool.query("select graphile_worker.reschedule_jobs($1::bigint[], max_attempts := 1)", [ids]));

/** Locks a job, since so many seconds, for a worker that does nothing until `returnJobs`. */
export const takeJob = async (id: string, worker: string, secondsAgo = 0): Promise<Attempt> => ({
  jobId: id,
  attempt: await lockJob(pool, id, worker, secondsAgo),
});

/** Unlocks the jobs of a worker. */
export const returnJobs = async (worker: string): Promise<void> =>
  void (await pool.query("select graphile_worker.force_unlock_workers(array[$1])", [worker]));
