import type { ShownRows } from "@/domain/demo/schema";
import { demoFilter } from "@/server/features/devices/demo-queries";
import { isExportVisible, isVisible } from "@/server/features/membership/assignment-queries";
import { databaseMs } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { bool, int4, nullable, text } from "@/server/platform/rows";
import { uidFloor } from "@/server/platform/uid";

/** Where counting stops; the screen then shows "1,000+". */
const ceiling = 1_000;
const weekMs = 7 * 86_400_000;

export interface TrainingData {
  ceiling: number;
  /** Alerts of the last seven days that may be worth learning from and are in no dataset. */
  unused_moments: number;
  new_items: number;
  /** The day from which on they are new. */
  since: string;
  /** The dataset that has all of them, as its address has it: `owner/slug`; null when several have some. */
  items_in: string | null;
  my_tasks: number;
  open_tasks: number;
  /** The dataset of the project with the most of them. */
  tasks_in: string | null;
  /** Results that nobody decided yet. */
  results: number;
  /** The dataset of the project with the most of them. */
  results_in: string | null;
  /** Files of exports that can be downloaded. */
  exports: number;
}

/** SQL: the tasks of a project that wait for a decision. One whose result was rejected is not completed any more. */
const toReview = Prisma.sql`p.completed_count - p.accepted_count - p.skipped_count`;

/** How the data loop stands; null for an organization in which the caller sees neither a dataset nor an active project. */
export async function readTrainingData(ctx: Ctx, { demo }: ShownRows): Promise<TrainingData | null> {
  const org = ctx.organizationId;
  const ofDatasets = Prisma.sql`datasets d where d.organization_id = ${org} and ${isVisible(ctx, "dataset", Prisma.sql`d.uid`)}
    ${demoFilter("d", demo)}`;
  const ofProjects = Prisma.sql`projects p where p.organization_id = ${org} and p.status = 'active'
    and ${isVisible(ctx, "project", Prisma.sql`p.uid`)} ${demoFilter("p", demo)}`;
  const since = databaseMs() - weekMs;
  const address = (uid: Prisma.Sql) => Prisma.sql`(select o.slug || '/' || n.slug from datasets n
    join organizations o on o.uid = n.organization_id where n.uid = (${uid}))`;
  const withMost = (count: Prisma.Sql) => Prisma.sql`select x.dataset_id
    from (select p.uid, ${count} as count from ${ofProjects}) v join annotated_datasets x on x.project_id = v.uid
      join (select d.uid from ${ofDatasets}) d on d.uid = x.dataset_id
    where v.count > 0 order by v.count desc, x.dataset_id limit 1`;
  const [row] = await query(
    ctx,
    {
      has: bool,
      unused_moments: int4,
      new_items: int4,
      my_tasks: int4,
      open_tasks: int4,
      results: int4,
      exports: int4,
      items_in: nullable(text),
      tasks_in: nullable(text),
      results_in: nullable(text),
    },
    Prisma.sql`select exists (select 1 from ${ofDatasets}) or exists (select 1 from ${ofProjects}) as has,
      (select count(*)::int from (select 1 from alerts a where a.organization_id = ${org} and a.uid >= ${uidFloor("alert", since)}
        and a.recording_id is not null ${demoFilter("a", demo)}
        and (a.status <> 'resolved' or a.resolution_reason in ('fixed', 'expected'))
        and not exists (select 1 from moment_spans s join moments m on m.uid = s.moment_id
          where s.alert_id = a.uid and s.organization_id = a.organization_id and m.status <> 'undone') limit ${ceiling + 1}) n) as unused_moments,
      (select count(*)::int from (select 1 from (select d.uid from ${ofDatasets}) v join items i on i.dataset_id = v.uid
        and i.uid >= ${uidFloor(null, since)} limit ${ceiling + 1}) n) as new_items,
      (select count(*)::int from (select 1 from (select p.uid from ${ofProjects}) v join tasks t on t.project_id = v.uid
        and t.assignee_id = ${ctx.actor.userId ?? ""} and t.status in ('pending', 'in_progress') limit ${ceiling + 1}) n) as my_tasks,
      (select coalesce(sum(p.task_count - p.completed_count), 0)::int from ${ofProjects}) as open_tasks,
      (select coalesce(sum(greatest(0, ${toReview})), 0)::int from ${ofProjects}) as results,
      (select count(*)::int from (select 1 from exports e where e.organization_id = ${org} and e.status = 'exported' and e.expires_at > now()
        and ${isExportVisible(ctx)} ${demoFilter("e", demo)} limit ${ceiling + 1}) n) as exports,
      ${address(Prisma.sql`select case when count(*) = 1 then min(v.uid) end from (select d.uid from ${ofDatasets}) v
        where exists (select 1 from items i where i.dataset_id = v.uid and i.uid >= ${uidFloor(null, since)})`)} as items_in,
      ${address(withMost(Prisma.sql`p.task_count - p.completed_count`))} as tasks_in,
      ${address(withMost(toReview))} as results_in`,
  );
  if (!row?.has) return null;
  const { has: _, ...counts } = row;
  return { ceiling, since: new Date(since).toISOString().slice(0, 10), ...counts };
}
