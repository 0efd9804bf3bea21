import { pool } from "@/server/platform/db";
import { noteReading } from "@/server/platform/jobs/graphile";
import type { JobHandler, JobRun } from "@/server/platform/jobs/handler";
import { AttemptSuperseded } from "@/server/platform/jobs/queue";
import type { ReadingGate } from "@/server/platform/jobs/reading-gate";
import { allowSuspect, clearSuspect, findSuspect, tookWorkerDown } from "@/server/platform/jobs/suspects";

/** The value of a member of a payload, as text. */
const readMember = (payload: unknown, member: string): string =>
  typeof payload === "object" && payload !== null ? String(Reflect.get(payload, member)) : "";

/**
 * Runs an attempt of a job. One that reads what was uploaded passes the gate of its process: what was being read when a
 * worker ended is read alone, and what took a worker down alone is refused without being read.
 */
export async function runAttempt(
  { definition, run, refuse }: JobHandler,
  payload: unknown,
  context: JobRun,
  gate: ReadingGate,
): Promise<void> {
  if (definition.reads === null || refuse === null) return run(payload, context);
  const reading = { task: definition.name, subject: readMember(payload, definition.reads) };
  const suspect = await findSuspect(reading);
  // Not in the first attempt of another job: it was asked for again.
  if (suspect?.refused && context.attempt.attempt > 1) {
    context.log.error(reading, "not read, because reading it took the worker down");
    await refuse(payload, context, tookWorkerDown);
    return allowSuspect(reading);
  }
  const alone = suspect !== null;
  const end = await gate.enter({ alone, slow: definition.kind === "long" }, context.signal);
  try {
    if (alone) context.log.warn(reading, "read alone, because a worker ended while it was read");
    if (!(await noteReading(pool, { ...context.attempt, alone }))) throw new AttemptSuperseded(context.attempt);
    await run(payload, context);
    if (alone) await clearSuspect(reading);
  } finally {
    end();
  }
}
