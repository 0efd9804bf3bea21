import { databaseMs } from "@/server/platform/clock";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma } from "@/server/platform/db";

const dayMs = 24 * 60 * 60_000;
const before = (days: number): Date => new Date(databaseMs() - days * dayMs);

/** Days for which a task first goes back to who drew something on it. */
const ownDays = 7;
/** Days for which a draft is kept once its task is submitted. */
const keptDays = 30;
/** At most as many at once. */
const batch = 500;

/** SQL: whether the assignee of a row of `tasks` took it and has drawn nothing on it lately; what a model offers is nobody's. */
export const isLeft =
  (): Prisma.Sql => Prisma.sql`tasks.assigned_by = 'self' and not exists (select 1 from task_drafts d
  where d.task_id = tasks.uid and d.shape_count > 0 and d.by_user is not null and d.updated_at > ${before(ownDays)}::timestamptz)`;

/** Gives tasks to anybody that waited for who drew something on them and has not gone on. Returns how many. */
export const releaseLeftDrafts = (): Promise<number> =>
  execute(
    { db: prisma },
    Prisma.sql`update tasks set assignee_id = null, assigned_by = null
      where uid in (select d.task_id from task_drafts d join tasks t on t.uid = d.task_id
          where d.ended_at is null and d.updated_at <= ${before(ownDays)}::timestamptz and d.shape_count > 0
            and t.status = 'pending' and t.assigned_by = 'self' limit ${batch})
        and status = 'pending' and lease_user is null and ${isLeft()}`,
  );

/** Deletes drafts that nobody goes on with. Returns how many. */
export const deleteEndedDrafts = (): Promise<number> =>
  execute(
    { db: prisma },
    Prisma.sql`delete from task_drafts where task_id in (
      select task_id from task_drafts where ended_at <= ${before(keptDays)}::timestamptz limit ${batch})`,
  );
