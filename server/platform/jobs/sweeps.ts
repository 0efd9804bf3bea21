import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, sql } from "@/server/platform/db";
import type { JobDefinition } from "@/server/platform/jobs/definitions";
import type { JobHandler } from "@/server/platform/jobs/handler";
import { enqueue } from "@/server/platform/jobs/queue";
import { sweeps } from "@/server/platform/jobs/schedule";
import { logFor } from "@/server/platform/log";
import { warnRepeated } from "@/server/platform/repeated-warnings";
import { arrayOf, text } from "@/server/platform/rows";

const log = logFor("sweeps");

/** Its job's key makes all workers share one run of a sweep at a time. */
export const enqueueSweep = (job: JobDefinition): Promise<void> =>
  enqueue({ db: prisma }, job, {}, { key: job.name, priority: -10 }).catch((error: unknown) =>
    warnRepeated(log, { err: error, job: job.name }, "could not enqueue a sweep"),
  );

/** The names of the sweeps that have anything to do, by one statement. */
async function findDue(handlers: readonly JobHandler[]): Promise<Set<string>> {
  const asked = handlers.flatMap(({ definition, due }) =>
    due ? [Prisma.sql`case when ${due} then ${definition.name}::text end`] : [],
  );
  if (asked.length === 0) return new Set();
  const [row] = await sql(
    { names: arrayOf(text) },
    Prisma.sql`select array_remove(array[${Prisma.join(asked)}], null) as names`,
  );
  return new Set(row?.names);
}

/** Enqueues these sweeps, but for those of which the database says that they have nothing to do. */
export async function enqueueDue(swept: readonly JobDefinition[], handlers: readonly JobHandler[]): Promise<void> {
  const names = new Set(swept.map(({ name }) => name));
  const asked = handlers.filter(({ definition, due }) => due && names.has(definition.name));
  let due: Set<string>;
  try {
    due = await findDue(asked);
  } catch (error) {
    return warnRepeated(log, { err: error, jobs: [...names] }, "could not enqueue sweeps");
  }
  const idle = new Set(asked.flatMap(({ definition: { name } }) => (due.has(name) ? [] : [name])));
  await Promise.all(swept.filter(({ name }) => !idle.has(name)).map(enqueueSweep));
}

/** Enqueues every sweep at once and then in its interval. Returns a function that ends this. */
export function startSweeps(handlers: readonly JobHandler[]): () => void {
  const intervals = new Set(sweeps.map(({ everyMs }) => everyMs));
  const timers = [...intervals].map((interval) => {
    const own = sweeps.filter(({ everyMs }) => everyMs === interval).map(({ job }) => job);
    let isAsking = false;
    const tick = async () => {
      if (isAsking) return;
      isAsking = true;
      await enqueueDue(own, handlers);
      isAsking = false;
    };
    void tick();
    return setInterval(() => void tick(), interval);
  });
  log.debug("this process enqueues the sweeps");
  return () => {
    for (const timer of timers) clearInterval(timer);
    log.debug("this process enqueues no sweeps any more");
  };
}
