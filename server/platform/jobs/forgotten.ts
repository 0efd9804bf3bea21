import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query } from "@/server/platform/db";
import type { JobDefinition } from "@/server/platform/jobs/definitions";

/** Something that waits for a job which is not there. */
export interface Forgotten {
  uid: string;
  organization_id: string;
  /** Its job, which was given up because every try of it ended with its worker; null when there is none at all. */
  exhausted: bigint | null;
}

const atOnce = 100;

/**
 * Rows that wait for a job though none is left that would still run. `rows` names a table `r` with `uid`,
 * `organization_id` and `updated_at`, and which of it wait; a job is a row's when `member` of its payload is the row's
 * uid. The oldest hundred.
 */
export function forgotten(
  definition: JobDefinition,
  member: string,
  rows: Prisma.Sql,
  afterSeconds: number,
): Promise<Forgotten[]> {
  const ofRow = Prisma.sql`from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = ${definition.name} and j.payload->>${member} = r.uid`;
  return query<Forgotten>(
    { db: prisma },
    Prisma.sql`select r.uid, r.organization_id,
        (select max(j.id) ${ofRow} and j.attempts >= j.max_attempts and j.locked_by is null) as exhausted
      from ${rows} and r.updated_at < now() - make_interval(secs => ${afterSeconds}::float8)
        and not exists (select 1 ${ofRow} and (j.attempts < j.max_attempts or j.locked_by is not null))
      order by r.updated_at limit ${atOnce}`,
  );
}

/** Removes a job that was given up. */
export const dropExhausted = (tx: Pick<Ctx, "db">, { exhausted }: Forgotten): Promise<unknown> =>
  exhausted === null
    ? Promise.resolve()
    : execute(tx, Prisma.sql`select graphile_worker.complete_jobs(array[${exhausted}::bigint])`);
