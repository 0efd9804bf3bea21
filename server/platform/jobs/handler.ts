import type { z } from "zod";
import type { JobDefinition } from "@/server/platform/jobs/definitions";
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
}

/** Binds a handler to a job's definition. Exported from `<feature>/jobs.ts`, collected in composition/job-handlers. */
export function handle<P extends z.ZodType>(
  definition: JobDefinition<P>,
  run: (payload: z.output<P>, run: JobRun) => Promise<void>,
): JobHandler {
  return { definition, run: async (payload, context) => run(definition.payload.parse(payload), context) };
}
