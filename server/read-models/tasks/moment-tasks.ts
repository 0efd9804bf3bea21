import type { MomentTaskFilters } from "@/domain/tasks/queue-schema";
import { visibleTasks } from "@/server/features/tasks/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { int4, nullable, text, type Native } from "@/server/platform/rows";

const momentTasksRow = {
  count: int4,
  /** Those that are not done. */
  open: int4,
  /** The one to begin with: open, free or the caller's, and of the picture nearest to its moment. */
  first: nullable(text),
};
type MomentTasks = Native<typeof momentTasksRow>;

/** The tasks that a project has of the pictures that were added of alerts, or of the hits of a rule. */
export async function readMomentTasks(
  ctx: Ctx,
  { project, alerts, rule_id: rule }: MomentTaskFilters,
): Promise<MomentTasks> {
  const org = ctx.organizationId;
  const origins = [
    ...(alerts === undefined ? [] : [Prisma.sql`s.alert_id = any(${alerts})`]),
    ...(rule === undefined
      ? []
      : [
          Prisma.sql`s.rule_id = ${rule} and s.recording_id in (select h.recording_id from rule_hits h
            where h.rule_id = ${rule} and h.organization_id = ${org})`,
        ]),
  ];
  const none = { count: 0, open: 0, first: null };
  if (origins.length === 0) return none;
  const [found] = await query(
    ctx,
    momentTasksRow,
    Prisma.sql`with spans as (
        select distinct m.dataset_id, s.recording_id, s.from_ns, s.to_ns, coalesce(a.triggered_ns, s.from_ns) as at_ns
        from moment_spans s join moments m on m.uid = s.moment_id and m.status <> 'undone'
        left join alerts a on a.uid = s.alert_id and a.organization_id = s.organization_id
        where s.organization_id = ${org} and ${Prisma.join(origins, " and ")}),
      found as (
        select t.uid, t.status <> 'completed' as is_open,
          t.assignee_id is null or t.assignee_id = ${ctx.actor.userId ?? ""} as is_free, min(abs(i.t_ns - s.at_ns)) as off
        from spans s join items i on i.recording_id = s.recording_id and i.t_ns between s.from_ns and s.to_ns and i.dataset_id = s.dataset_id
        join tasks t on t.item_id = i.uid and t.project_id = ${project}
        where ${visibleTasks(ctx)} group by t.uid)
      select count(*)::int as count, (count(*) filter (where is_open))::int as open,
        (array_agg(uid order by is_open desc, is_free desc, off, uid))[1] as first from found`,
  );
  return found ?? none;
}
