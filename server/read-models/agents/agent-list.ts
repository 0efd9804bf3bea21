import type { AgentListFilters } from "@/domain/agents/schema";
import type { AgentResource } from "@/server/features/agents/resource";
import { listAgents } from "@/server/features/agents/service";
import { isVisible } from "@/server/features/membership/assignment-queries";
import { databaseMs } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { float8, int4, nullable, text } from "@/server/platform/rows";
import { uidFloor } from "@/server/platform/uid";

/** What an agent did in the last 24 hours, and how its decisions stand. */
export interface AgentActivity {
  /** How many of the executions created in the last 24 hours are done. */
  done: number;
  failed: number;
  timed_out: number;
  /** Half of its newest `countedDecisions` of these took at most so long to the agent's own action; null without any. */
  p50_ms: number | null;
  /** Executions that wait for the agent, at most `countedWaiting`. */
  waiting: number;
  /** How many of its newest `countedDecisions` approvals, and as many rejections, have a result that still exists. */
  decided: number;
  /** Those of them that a person decided otherwise. */
  overruled: number;
}

/** An agent with the additional columns of its list. */
export interface AgentOverview extends AgentResource, AgentActivity {
  project_name: string | null;
}

const countedWaiting = 1_000;
const countedDecisions = 1_000;
const dayMs = 24 * 60 * 60 * 1_000;

const activityRow = {
  uid: text,
  done: int4,
  failed: int4,
  timed_out: int4,
  p50_ms: nullable(float8),
  waiting: int4,
  decided: int4,
  overruled: int4,
  project_name: nullable(text),
};

/** How many executions of agent `a` have a status, of those created since; counted in the index alone. */
const countSince = (status: "completed" | "failed" | "timed_out", since: string) => Prisma.sql`
  (select count(*)::int from agent_executions e where e.agent_id = a.uid and e.status = ${status} and e.uid >= ${since})`;

/** The newest decisions of agent `a` of one kind, whose result it judged. */
const newestDecisions = (action: "approve" | "reject") => Prisma.sql`
  (select d.result_id, d.action from agent_executions d
    where d.agent_id = a.uid and d.action = ${action} and not d.by_hand and d.result_id is not null
    order by d.uid desc limit ${countedDecisions}::int)`;

/** Agents with what they did; each part is a limited range of an index by agent. */
export async function listAgentOverviews(ctx: Ctx, filters: AgentListFilters): Promise<Page<AgentOverview>> {
  const page = await listAgents(ctx, filters);
  const activity = await readActivity(
    ctx,
    page.results.map((agent) => agent.uid),
  );
  return { ...page, results: page.results.map((agent) => ({ ...agent, ...(activity.get(agent.uid) ?? nothing) })) };
}

const nothing = {
  done: 0,
  failed: 0,
  timed_out: 0,
  p50_ms: null,
  waiting: 0,
  decided: 0,
  overruled: 0,
  project_name: null,
};

/** What agents did, by their uids. */
export async function readActivity(
  ctx: Ctx,
  uids: readonly string[],
): Promise<ReadonlyMap<string, AgentActivity & { project_name: string | null }>> {
  if (uids.length === 0) return new Map();
  const since = uidFloor(null, databaseMs() - dayMs);
  const rows = await sql(
    activityRow,
    Prisma.sql`
    select a.uid, day.done, day.failed, day.timed_out, pace.p50_ms, open.waiting, judged.decided, judged.overruled,
      (select p.name from projects p where p.uid = a.project_id and p.organization_id = ${ctx.organizationId}
        and ${isVisible(ctx, "project", Prisma.sql`p.uid`)}) as project_name
    from agents a
    cross join lateral (
      select ${countSince("completed", since)} as done, ${countSince("failed", since)} as failed,
        ${countSince("timed_out", since)} as timed_out) day
    cross join lateral (
      select percentile_cont(0.5) within group (order by extract(epoch from e.completed_at - e.created_at)::float8 * 1000) as p50_ms
      from (select e.completed_at, e.created_at from agent_executions e
        where e.agent_id = a.uid and e.status = 'completed' and not e.by_hand and e.uid >= ${since}
        order by e.uid desc limit ${countedDecisions}::int) e) pace
    cross join lateral (
      select count(*)::int as waiting from (
        select 1 from agent_executions e where e.agent_id = a.uid and e.status = 'pending' limit ${countedWaiting}::int) w) open
    cross join lateral (
      select count(*)::int as decided, count(*) filter (where not stands and not by_other)::int as overruled from (
        select r.status = s.status as stands, exists (
            select 1 from agent_executions other where other.result_id = d.result_id and other.agent_id <> a.uid
              and not other.by_hand and other.action = case r.status when 'accepted' then 'approve' else 'reject' end) as by_other
        from (${newestDecisions("approve")} union all ${newestDecisions("reject")}) d
        join (values ('approve', 'accepted'), ('reject', 'rejected')) s (action, status) on s.action = d.action
        join results r on r.uid = d.result_id) each) judged
    where a.organization_id = ${ctx.organizationId} and a.uid = any(${uids}::text[])`,
  );
  return new Map(rows.map(({ uid, ...activity }) => [uid, activity]));
}

/** As many as a menu shows. */
const maxProjects = 200;

/** The projects that an agent may be limited to, by name. */
export const listProjectChoices = (ctx: Ctx): Promise<{ uid: string; name: string }[]> =>
  sql(
    { uid: text, name: text },
    Prisma.sql`select p.uid, p.name from projects p
      where p.organization_id = ${ctx.organizationId} and p.status not in ('archived', 'canceled')
        and ${isVisible(ctx, "project", Prisma.sql`p.uid`)}
      order by lower(p.name), p.uid limit ${maxProjects}::int`,
  );
