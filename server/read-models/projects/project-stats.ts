import { getProject } from "@/server/features/projects/service";
import { visibleTasks } from "@/server/features/tasks/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { float8, int4, notNull, nullable, oneOf, text, type Native } from "@/server/platform/rows";
import { withinMs } from "@/server/read-models/items/count";

/** How long all statistics of a project may take together, in milliseconds. */
const statsMs = 5_000;
/** Of each kind, those that most items are from. */
const maxOrigins = 5;

const originKinds = ["device", "rule", "alert"] as const;
const dayRow = { day: text, submitted: int4, accepted: int4 };
const paceRow = { p50: nullable(float8), p90: nullable(float8), timed: int4 };
const originRow = {
  kind: oneOf(originKinds),
  uid: text,
  name: nullable(text),
  items: int4,
  accepted: int4,
  labels: int4,
};

/** What of a project's work was done when, how fast, and what the items came from. */
export interface ProjectStats {
  /** Tasks that are done by the day (UTC) on which they were first submitted, and on which they were accepted. */
  days: Native<typeof dayRow>[];
  /** Seconds of work a task: the half that took less, and nine of ten; null before any was timed. */
  pace: Native<typeof paceRow>;
  /** Of each kind at most five; the name is null once the object is gone. */
  origins: Native<typeof originRow>[];
  /** The labels of all results that are not rejected. */
  labels: number;
}

/**
 * Statistics of one project; null where they take longer than five seconds. They read the tasks, results and items of this
 * project alone, from its indexes, however many others there are. Throws `not_found`.
 */
export async function readProjectStats(ctx: Ctx, uid: string, ms = statsMs): Promise<ProjectStats | null> {
  await getProject(ctx, uid);
  const visible = Prisma.sql`t.project_id = ${uid} and ${visibleTasks(ctx)}`;
  return withinMs(ctx, ms, async (tx, limit) => {
    await limit();
    const days = await query(
      tx,
      dayRow,
      Prisma.sql`with done as (
          select min(r.created_at) as submitted_at, max(r.decided_at) filter (where r.status = 'accepted') as accepted_at
          from tasks t join results r on r.task_id = t.uid where ${visible} and t.status = 'completed' and t.skip_reason is null group by t.uid)
        select to_char(e.at at time zone 'UTC', 'YYYY-MM-DD') as day, sum(e.submitted)::int as submitted, sum(e.accepted)::int as accepted
        from (select submitted_at as at, 1 as submitted, 0 as accepted from done
          union all select accepted_at, 0, 1 from done where accepted_at is not null) e
        group by 1 order by 1`,
    );
    await limit();
    const [pace = { p50: null, p90: null, timed: 0 }] = await query(
      tx,
      paceRow,
      Prisma.sql`select percentile_cont(0.5) within group (order by t.seconds) as p50,
          percentile_cont(0.9) within group (order by t.seconds) as p90, count(*)::int as timed
        from tasks t where ${visible} and t.status = 'completed' and t.skip_reason is null and t.seconds > 0`,
    );
    await limit();
    const rows = await query(
      tx,
      { ...originRow, kind: oneOf([...originKinds, "all"]), uid: notNull(text) },
      Prisma.sql`with work as materialized (
          select i.metadata -> 'source' as source, coalesce(l.accepted, 0) as accepted, coalesce(l.labels, 0) as labels
          from tasks t join items i on i.uid = t.item_id
          left join lateral (select max((r.status = 'accepted')::int) as accepted, max(r.annotation_count) as labels
            from results r where r.task_id = t.uid and r.status <> 'rejected') l on true
          where ${visible}),
        named as (
          select k.kind, coalesce(w.source ->> (k.kind || '_id'), '') as uid, count(*)::int as items, sum(w.accepted)::int as accepted, sum(w.labels)::int as labels,
            row_number() over (partition by k.kind order by count(*) desc, 2) as place
          from work w cross join (values ('device'), ('rule'), ('alert')) k(kind)
          where w.source ->> (k.kind || '_id') is not null group by 1, 2)
        select n.kind, n.uid, coalesce(d.name, u.name, a.message) as name, n.items, n.accepted, n.labels from named n
          left join devices d on n.kind = 'device' and d.uid = n.uid and d.organization_id = ${tx.organizationId}
          left join rules u on n.kind = 'rule' and u.uid = n.uid and u.organization_id = ${tx.organizationId}
          left join alerts a on n.kind = 'alert' and a.uid = n.uid and a.organization_id = ${tx.organizationId}
          where n.place <= ${maxOrigins}
        union all select 'all', '', null, count(*)::int, coalesce(sum(accepted), 0)::int, coalesce(sum(labels), 0)::int from work
        order by 1, 4 desc, 2`,
    );
    const origins = rows.flatMap(({ kind, ...row }) => (kind === "all" ? [] : [{ ...row, kind }]));
    return { days, pace, origins, labels: rows.find(({ kind }) => kind === "all")?.labels ?? 0 };
  });
}
