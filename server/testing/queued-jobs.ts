import { handlers } from "@/server/composition/job-handlers";
import { pool } from "@/server/platform/db";
import type { JobDefinition } from "@/server/platform/jobs/definitions";
import { logFor } from "@/server/platform/log";

interface QueuedJob {
  id: string;
  payload: Record<string, unknown>;
}

/** The jobs of one kind that wait in the queue and whose payload has these members. */
export async function queuedJobs(
  definition: JobDefinition,
  members: Record<string, unknown> = {},
): Promise<QueuedJob[]> {
  const { rows } = await pool.query<QueuedJob>(
    `select j.id::text, j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     where t.identifier = $1 and j.payload::jsonb @> $2::jsonb and j.locked_by is null order by j.id`,
    [definition.name, JSON.stringify(members)],
  );
  return rows;
}

/**
 * Runs them with their handlers, one after the other, as a worker would; how many there were. Throws what a handler
 * throws.
 */
export async function runQueuedJobs(definition: JobDefinition, members: Record<string, unknown> = {}): Promise<number> {
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
    await pool.query("select graphile_worker.complete_jobs($1::bigint[])", [[id]]);
  }
  return jobs.length;
}
