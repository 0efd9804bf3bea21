import type { z } from "zod";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query } from "@/server/platform/db";
import type { JobDefinition } from "@/server/platform/jobs/definitions";
import { holdAttempt, queryable, queueJobs } from "@/server/platform/jobs/graphile";
import { bool, int8 } from "@/server/platform/rows";
import { writeTraceparent } from "@/server/platform/tracing";

export interface EnqueueOptions {
  /** A second job with this key replaces the first while that one has not started. */
  key?: string;
  /** A job that replaces another by its key keeps that one's run time. */
  keepTime?: boolean;
  runAt?: Date;
  /** Jobs of one queue run one after another. */
  queue?: string;
  /** Lower runs earlier. Default 0. */
  priority?: number;
  /** Nobody waits for it: it leaves the last slot of a process to other jobs. */
  background?: boolean;
}

/** The flag of a job in the background. */
export const backgroundFlag = "background";

/** Begins the flag of a job that names the span of the request that caused it. */
const traceFlag = "traceparent:";

/** The span that caused a job, by the job's flags. */
export const readCause = (flags: Readonly<Record<string, unknown>> | null): string | undefined =>
  Object.keys(flags ?? {})
    .find((flag) => flag.startsWith(traceFlag))
    ?.slice(traceFlag.length);

/** Adds a job in the transaction of `ctx`: it exists if and only if the change that causes it is committed. */
export async function enqueue<P extends z.ZodType>(
  ctx: Pick<Ctx, "db">,
  definition: JobDefinition<P>,
  payload: z.input<P>,
  options: EnqueueOptions = {},
): Promise<void> {
  const json = JSON.stringify(definition.payload.parse(payload));
  const cause = writeTraceparent();
  const flags = [...(cause ? [traceFlag + cause] : []), ...(options.background ? [backgroundFlag] : [])];
  await execute(
    ctx,
    Prisma.sql`select graphile_worker.add_job(${definition.name}, payload := ${json}::json,
      queue_name := ${options.queue ?? null}, run_at := ${options.runAt ?? null}::timestamptz,
      max_attempts := ${definition.maxAttempts}::int, job_key := ${options.key ?? null},
      job_key_mode := ${options.keepTime ? "preserve_run_at" : "replace"},
      priority := ${options.priority ?? 0}::int, flags := ${flags.length > 0 ? flags : null}::text[])`,
  );
}

/** Adds a job with this payload, as an expression, for services that enqueue within a larger statement. */
export const addJob = (definition: JobDefinition, payload: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`graphile_worker.add_job(${definition.name}, payload := ${payload},
    max_attempts := ${definition.maxAttempts}::int)`;

/** Identifies one run of a job: a worker that takes the job over has another attempt number. */
export interface Attempt {
  jobId: string;
  attempt: number;
}

/** Thrown when another worker has taken the job over, so that the transaction with this attempt's result rolls back. */
export class AttemptSuperseded extends Error {
  constructor(readonly attempt: Attempt) {
    super(`attempt ${attempt.attempt} of job ${attempt.jobId} was superseded`);
    this.name = "AttemptSuperseded";
  }
}

/**
 * Checks, inside the transaction that finishes a long job, that this attempt still owns it, and locks the job's row
 * until the commit, so that no other worker can take it over in between. Throws `AttemptSuperseded` otherwise.
 */
export async function fence(ctx: Pick<Ctx, "db">, attempt: Attempt): Promise<void> {
  if (!(await holdAttempt(queryable(ctx), attempt))) throw new AttemptSuperseded(attempt);
}

/** Whether an attempt owns its job at this moment. Only `fence` guarantees that it still does when it commits. */
export async function ownsJob(ctx: Pick<Ctx, "db">, { jobId, attempt }: Attempt): Promise<boolean> {
  const rows = await query(
    ctx,
    { id: int8 },
    Prisma.sql`select j.id from ${Prisma.raw(queueJobs)} j
      where j.id = ${BigInt(jobId)} and j.attempts = ${attempt} and j.locked_by is not null`,
  );
  return rows.length > 0;
}

/** Whether the job with that key is waiting or running, or has no attempt left; null when there is none. */
export async function jobState(ctx: Pick<Ctx, "db">, key: string): Promise<"open" | "exhausted" | null> {
  const [job] = await query(
    ctx,
    { exhausted: bool },
    Prisma.sql`select j.exhausted from ${Prisma.raw(queueJobs)} j where j.key = ${key}`,
  );
  return job ? (job.exhausted ? "exhausted" : "open") : null;
}
