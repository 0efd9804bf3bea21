import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query } from "@/server/platform/db";
import type { JobDefinition } from "@/server/platform/jobs/definitions";
import { queueJobs } from "@/server/platform/jobs/graphile";
import type { Attempt } from "@/server/platform/jobs/queue";
import { int4, int8, type Native, nullable, text } from "@/server/platform/rows";

const orphanRow = {
  uid: text,
  organization_id: text,
  /** Its job without attempts left; null when it has no job. */
  exhausted: nullable(int8),
};
/** A row that waits for a job that does not exist or is exhausted. */
export type Orphan = Native<typeof orphanRow>;

/** Seconds without a job after which a sweep considers a row orphaned. */
export const orphanedAfterSeconds = 30;

const maxOrphans = 100;

/**
 * Lists the oldest hundred rows that wait for one of these jobs although none is left that could run. `rows` is a `from` and
 * `where` clause over a table `r` with `uid`, `organization_id` and `updated_at`; a row's jobs have its uid as `member`
 * of their payload.
 */
export function orphans(
  definitions: readonly JobDefinition[],
  member: string,
  rows: Prisma.Sql,
  afterSeconds: number,
): Promise<Orphan[]> {
  const ofRow = Prisma.sql`from ${Prisma.raw(queueJobs)} j
    where j.task = any(${definitions.map(({ name }) => name)}::text[]) and j.payload->>${member} = r.uid`;
  return query(
    { db: prisma },
    orphanRow,
    Prisma.sql`select r.uid, r.organization_id, (select max(j.id) ${ofRow} and j.exhausted) as exhausted
      from ${rows} and r.updated_at < now() - make_interval(secs => ${afterSeconds}::float8)
        and not exists (select 1 ${ofRow} and not j.exhausted)
      order by r.updated_at limit ${maxOrphans}`,
  );
}

/** The last attempt of the job of an orphan that has none left; null when it has no job any more. */
export async function findLastAttempt(tx: Pick<Ctx, "db">, { exhausted }: Orphan): Promise<Attempt | null> {
  const rows = await query(
    tx,
    { attempt: int4 },
    Prisma.sql`select j.attempts::int as attempt from ${Prisma.raw(queueJobs)} j where j.id = ${exhausted}::bigint`,
  );
  return exhausted !== null && rows[0] ? { jobId: String(exhausted), attempt: rows[0].attempt } : null;
}

/** Removes the job of an orphan that has no attempt left. */
export const removeExhausted = (tx: Pick<Ctx, "db">, { exhausted }: Orphan): Promise<unknown> =>
  exhausted === null
    ? Promise.resolve()
    : execute(tx, Prisma.sql`select graphile_worker.complete_jobs(array[${exhausted}::bigint])`);
