import {
  agentActions,
  executionStatuses,
  type AgentAction,
  type ExecutionStatus,
} from "@/domain/agents/execution-status";
import type { ExecutionListFilters } from "@/domain/agents/schema";
import { resultStatuses } from "@/domain/tasks/schema";
import { narrowExecutions, visibleExecutions } from "@/server/features/agents/executions-service";
import { findAgent } from "@/server/features/agents/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { bool, int4, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";

const overviewRow = {
  uid: text,
  event_type: text,
  status: oneOf<ExecutionStatus>(executionStatuses),
  action: nullable(oneOf<AgentAction>(agentActions)),
  reason: text,
  acted_by: nullable(text),
  by_hand: bool,
  error_message: nullable(text),
  attempts: int4,
  next_attempt_at: nullable(timestamptz),
  deadline: timestamptz,
  created_at: timestamptz,
  completed_at: nullable(timestamptz),
  /** The name of what the event is about: a task, a dataset or an export. */
  about: nullable(text),
  project_name: nullable(text),
  task: nullable(text),
  result: nullable(text),
  result_status: nullable(oneOf(resultStatuses)),
  /** The name of who decided the result. */
  decided_by: nullable(text),
  /** Whether the caller submitted the result, which another person decides. */
  own_result: bool,
  export: nullable(text),
};

/** An execution as a row of its list: with what it is about, without the event itself. */
export type ExecutionOverview = Wire<typeof overviewRow>;

const overviewColumns = (
  ctx: Ctx,
) => Prisma.sql`e.uid, e.event_type, e.status, e.action, e.reason, e.acted_by, e.by_hand,
  e.error_message, e.attempts, e.next_attempt_at, e.deadline, e.created_at, e.completed_at,
  coalesce(e.event_payload->>'task_name', e.event_payload->>'name') as about, p.name as project_name,
  e.task_id as task, e.result_id as result, r.status as result_status, r.decided_by,
  coalesce(r.submitted_by_id = ${ctx.actor.userId}, false) as own_result, e.event_payload->>'export_uid' as export`;

const overviewTables = Prisma.sql`agent_executions e
  left join results r on r.uid = e.result_id left join projects p on p.uid = e.project_id`;

/** The executions of an agent, newest first. Throws `not_found`. */
export async function listExecutionOverviews(
  ctx: Ctx,
  agentId: string,
  { limit, cursor, ...filters }: ExecutionListFilters,
): Promise<Page<ExecutionOverview>> {
  await findAgent(ctx, agentId);
  // A cursor is not bound to `since`, which moves while a screen is open.
  const { since: _, ...bound } = filters;
  return keysetPage<ExecutionOverview>(ctx, {
    name: "agent-execution-overviews",
    filters: { agentId, ...bound },
    page: { limit, cursor },
    order: { columns: ["e.uid"], direction: "desc" },
    key: (execution) => [execution.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        overviewRow,
        Prisma.sql`select ${overviewColumns(ctx)} from ${overviewTables}
          where e.agent_id = ${agentId} and ${visibleExecutions(ctx)} and ${where} ${narrowExecutions(filters)}
          order by ${orderBy} limit ${rows}`,
      ),
  });
}

/** One execution as in the list. Throws `not_found`. */
export async function getExecutionOverview(ctx: Ctx, uid: string): Promise<ExecutionOverview> {
  const [row] = await sql(
    overviewRow,
    Prisma.sql`select ${overviewColumns(ctx)} from ${overviewTables} where e.uid = ${uid} and ${visibleExecutions(ctx)}`,
  );
  if (!row) throw notFound();
  return row;
}
