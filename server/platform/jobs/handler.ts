import type { z } from "zod";
import type { Prisma } from "@/server/platform/database/generated/client";
import type { JobDefinition, ReadingDefinition } from "@/server/platform/jobs/definitions";
import type { Attempt } from "@/server/platform/jobs/queue";
import type { Log } from "@/server/platform/log";

export interface JobRun {
  attempt: Attempt;
  /** True on the last try: a failure now is final. */
  lastAttempt: boolean;
  /** Aborted when the worker shuts down; a handler that stops early is retried. */
  signal: AbortSignal;
  log: Log;
}

export interface JobHandler {
  definition: JobDefinition;
  run: (payload: unknown, run: JobRun) => Promise<void>;
  /** For a job that reads what was uploaded: ends its work for good without reading, with a reason that people read. */
  refuse: ((payload: unknown, run: JobRun, reason: string) => Promise<void>) | null;
  /** Of a sweep: whether it has anything to do, as an expression. It is enqueued only then; null: always. */
  due: Prisma.Sql | null;
}

/** Binds a handler to a job's definition. Exported from `<feature>/jobs.ts`, collected in composition/job-handlers. */
export function handle<P extends z.ZodType>(
  definition: JobDefinition<P> & { readonly reads: null },
  run: (payload: z.output<P>, run: JobRun) => Promise<void>,
  due: Prisma.Sql | null = null,
): JobHandler {
  const parsed = async (payload: unknown, context: JobRun) => run(definition.payload.parse(payload), context);
  return { definition, run: parsed, refuse: null, due };
}

/**
 * `handle` for a job that reads what was uploaded. `refuse` is called in place of `run` where reading takes the worker
 * down: what waits for the job then ends with the reason, in a transaction that calls `fence`.
 */
export function handleReading<P extends z.ZodType>(
  definition: ReadingDefinition<P>,
  run: (payload: z.output<P>, run: JobRun) => Promise<void>,
  refuse: (payload: z.output<P>, run: JobRun, reason: string) => Promise<void>,
): JobHandler {
  return {
    definition,
    run: async (payload, context) => run(definition.payload.parse(payload), context),
    refuse: async (payload, context, reason) => refuse(definition.payload.parse(payload), context, reason),
    due: null,
  };
}
