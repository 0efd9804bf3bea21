import { hasRole } from "@/domain/permissions";
import { projectRoles } from "@/domain/projects/schema";
import { getProject } from "@/server/features/projects/service";
import { visibleResults } from "@/server/features/tasks/result-service";
import { visibleTasks } from "@/server/features/tasks/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { arrayOf, bool, float8, int4, nullable, oneOf, text, type Native } from "@/server/platform/rows";
import { withinMs } from "@/server/read-models/items/count";

/** How long the numbers of a project's people may take, in milliseconds. */
const peopleMs = 5_000;
/** The people that are listed. */
const maxPeople = 200;

const personRow = {
  user_uid: text,
  username: text,
  /** Whether they are still in the organization. */
  is_member: bool,
  roles: arrayOf(oneOf(projectRoles)),
  /** Tasks that wait for them or that they work on. */
  held: int4,
  submitted: int4,
  accepted: int4,
  rejected: int4,
  /** Results that a reviewer corrected. */
  corrected: int4,
  /**
   * Results of others that they accepted or rejected. Old decisions keep a name alone, which may also be that of an agent or
   * of somebody elsewhere: those are counted of members only.
   */
  decided: int4,
  /** Seconds of work that half of their tasks took less than; null before any was timed. */
  seconds: nullable(float8),
};
export type ProjectPerson = Native<typeof personRow>;

/**
 * Who is an annotator or reviewer of a project, or has done something in it, with numbers: those who submitted most first,
 * at most 200. Who is no admin gets their own line alone. Null where counting takes longer than five seconds; it reads the
 * tasks and results of this project alone. Throws `not_found`.
 */
export async function readProjectPeople(ctx: Ctx, uid: string, ms = peopleMs): Promise<ProjectPerson[] | null> {
  await getProject(ctx, uid);
  const isShown = hasRole(ctx.permissions, "admin") ? Prisma.sql`true` : Prisma.sql`u.uid = ${ctx.actor.userId}`;
  return withinMs(ctx, ms, async (tx, limit) => {
    await limit();
    return query(
      tx,
      personRow,
      Prisma.sql`with made as materialized (
          select r.submitted_by_id as user_id, r.status, r.superseded_by, r.decided_by, r.decided_by_id, r.task_id,
            r.uid = max(r.uid) over (partition by r.task_id) as is_last
          from results r where r.project_id = ${uid} and ${visibleResults(tx)}),
        did as (
          select m.user_id, count(*)::int as submitted, (count(*) filter (where m.status = 'accepted'))::int as accepted,
            (count(*) filter (where m.status = 'rejected' and m.superseded_by is null))::int as rejected,
            (count(*) filter (where m.superseded_by is not null))::int as corrected,
            percentile_cont(0.5) within group (order by t.seconds) filter (where t.seconds > 0) as seconds
          from made m left join tasks t on t.uid = m.task_id and m.is_last where m.user_id is not null group by 1),
        decided as (
          select d.user_id, count(*)::int as decided from (
            select m.decided_by_id as user_id, m.user_id as submitter from made m where m.decided_by is not null and m.decided_by_id is not null
            union all
            select u.uid, m.user_id from made m join users u on u.username = m.decided_by
              join memberships s on s.user_id = u.uid and s.organization_id = ${tx.organizationId}
            where m.decided_by_id is null) d
          where d.submitter is distinct from d.user_id group by 1),
        held as (
          select t.assignee_id as user_id, count(*)::int as held from tasks t
          where t.project_id = ${uid} and t.status in ('pending', 'in_progress') and t.assignee_id is not null and ${visibleTasks(tx)}
          group by 1),
        listed as (
          select l.user_id, array_agg(l.role order by l.role) as roles from project_people l where l.project_id = ${uid} group by 1),
        people as (
          select user_id from did union select user_id from decided union select user_id from held union select user_id from listed)
        select u.uid as user_uid, u.username,
          exists (select 1 from memberships s where s.user_id = u.uid and s.organization_id = ${tx.organizationId}) as is_member,
          coalesce(l.roles, array[]::text[]) as roles, coalesce(h.held, 0) as held, coalesce(d.submitted, 0) as submitted,
          coalesce(d.accepted, 0) as accepted, coalesce(d.rejected, 0) as rejected, coalesce(d.corrected, 0) as corrected,
          coalesce(c.decided, 0) as decided, d.seconds
        from people p join users u on u.uid = p.user_id left join did d on d.user_id = u.uid left join decided c on c.user_id = u.uid
          left join held h on h.user_id = u.uid left join listed l on l.user_id = u.uid
        where ${isShown} order by coalesce(d.submitted, 0) desc, u.username limit ${maxPeople}`,
    );
  });
}
