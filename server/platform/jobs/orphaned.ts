import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query } from "@/server/platform/db";
import type { JobDefinition } from "@/server/platform/jobs/definitions";
import { queueJobs } from "@/server/platform/jobs/graphile";
import { int8, type Native, nullable, text } from "@/server/platform/rows";

const orphanRow = {
  uid: text,
  organization_id: text,
  /** Its job, of which every attempt ended with its worker; null when there is none at all. */
  exhausted: nullable(int8),
};
/** Something that waits for a job which is not there. */
export type Orphan = Native<typeof orphanRow>;

/** Seconds without a job after which a sweep takes something for an orphan. */
export const orphanedAfterSeconds = 30;

const maxOrphans = 100;

/**
 * Rows that wait for a job though none is left that would still run. `rows` names a table `r` with `uid`,
 * `organization_id` and `updated_at`, and which of it wait; a job is a row's when `member` of its payload is the row's
 * uid. The oldest hundred.
 */
export function orphans(
  definition: JobDefinition,
  member: string,
  rows: Prisma.Sql,
  afterSeconds: number,
): Promise<Orphan[]> {
  const ofRow = Prisma.sql`from ${Prisma.raw(queueJobs)} j
    where j.task = ${definition.name} and j.payload->>${member} = r.uid`;
  return query(
    { db: prisma },
    orphanRow,
    Prisma.sql`select r.uid, r.organization_id, (select max(j.id) ${ofRow} and j.exhausted) as exhausted
      from ${rows} and r.updated_at < now() - make_interval(secs => ${afterSeconds}::float8)
        and not exists (select 1 ${ofRow} and not j.exhausted)
      order by r.updated_at limit ${maxOrphans}`,
  );
}

/** Removes the job of an orphan that has no attempt left. */
export const removeExhausted = (tx: Pick<Ctx, "db">, { exhausted }: Orphan): Promise<unknown> =>
  exhausted === null
    ? Promise.resolve()
    : execute(tx, Prisma.sql`select graphile_worker.complete_jobs(array[${exhausted}::bigint])`);
