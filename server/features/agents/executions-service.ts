import {
  type AgentAction,
  type ExecutionFilters,
  type SubmitAction,
  agentActions,
  executionStatuses,
} from "@/domain/agents/schema";
import type { ActionTaken, ExecutionResource, PingQueued } from "@/server/features/agents/resource";
import { findAgent } from "@/server/features/agents/service";
import { audit } from "@/server/features/audit/service";
import { toSentPayloads } from "@/server/features/event-payloads/payload-service";
import { isItemVisible, isVisible } from "@/server/features/organizations/assignment-queries";
import { queueExecutions } from "@/server/features/platform-events/execution-queue-service";
import { eventBytes } from "@/server/features/tasks/event-result-service";
import { decideResult, isOwnResult } from "@/server/features/tasks/result-service";
import { requireRole, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, sql, transaction } from "@/server/platform/db";
import { invalid, isServiceError } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import {
  bool,
  int4,
  jsonbObject,
  nullable,
  oneOf,
  text,
  timestamptz,
  type Wire,
  jsonObject,
} from "@/server/platform/rows";

// The action is the agent's response whichever way it came; until then it is what a callback returned.
const columns = Prisma.sql`e.uid, e.agent_id as registration, e.event_type, e.task_id as task, e.result_id as result, e.status, e.action,
  e.event_payload, case when e.action is null then e.response_payload
    else jsonb_build_object('action', e.action, 'reason', e.reason, 'metadata', e.metadata) end as response_payload,
  e.error_message, e.started_at, e.completed_at, e.created_at, e.updated_at, ${eventBytes(Prisma.sql`e.result_id`)}
    + octet_length(e.metadata::text) + coalesce(octet_length(e.response_payload::text), 0) as bytes`;

const executionRow = {
  uid: text,
  registration: text,
  event_type: text,
  task: nullable(text),
  result: nullable(text),
  status: oneOf(executionStatuses),
  action: nullable(oneOf(agentActions)),
  event_payload: jsonObject,
  response_payload: nullable(jsonbObject),
  error_message: nullable(text),
  started_at: nullable(timestamptz),
  completed_at: nullable(timestamptz),
  created_at: timestamptz,
  updated_at: timestamptz,
  bytes: int4,
};
type Row = Wire<typeof executionRow>;

const tables = Prisma.sql`agent_executions e left join tasks t on t.uid = e.task_id`;
/** The executions of the organization that are not about a project or dataset which the caller does not see. */
const visible = (ctx: Ctx): Prisma.Sql =>
  Prisma.sql`e.organization_id = ${ctx.organizationId}
    and (e.project_id is null or ${isVisible(ctx, "project", Prisma.sql`e.project_id`)})
    and (t.item_id is null or ${isItemVisible(ctx, Prisma.sql`t.item_id`)})`;

/** The executions of an agent, newest first; reading them changes no status. Throws `not_found`. */
export async function listExecutions(
  ctx: Ctx,
  agentId: string,
  filters: ExecutionFilters,
): Promise<Page<ExecutionResource>> {
  await findAgent(ctx, agentId);
  const { limit, cursor, status, project, task_types: taskTypes } = filters;
  const page = await keysetPage<Row>(ctx, {
    name: "agent-executions",
    filters: { agentId, status, project, taskTypes },
    page: { limit, cursor },
    order: { columns: ["e.uid"], direction: "desc" },
    key: (execution) => [execution.uid],
    bytes: (execution) => execution.bytes,
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        executionRow,
        Prisma.sql`select ${columns} from ${tables} where e.agent_id = ${agentId} and ${visible(ctx)} and ${where}
        ${status ? Prisma.sql`and e.status = any(${status})` : Prisma.empty}
        ${project === undefined ? Prisma.empty : Prisma.sql`and e.project_id = ${project}`}
        ${taskTypes?.length ? Prisma.sql`and e.task_type = any(${taskTypes})` : Prisma.empty}
        order by ${orderBy} limit ${rows}`,
      ),
  });
  const payloads = await toSentPayloads(
    ctx,
    page.results.map((execution) => execution.event_payload),
  );
  return {
    ...page,
    results: page.results.map(({ bytes: _, ...execution }, at) => ({
      ...execution,
      event_payload: payloads[at] ?? {},
    })),
  };
}

/** The action that an agent submits for an execution. */
export interface ReportedAction {
  action: AgentAction;
  reason?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
}

/**
 * Completes an execution with an action, in the transaction of `tx`; false when it is completed, failed or timed out
 * already. The row's status decides races between two actions, or an action and the timeout: only one finds it open.
 */
export async function completeExecution(
  tx: Ctx,
  uid: string,
  { action, reason, metadata }: ReportedAction,
): Promise<boolean> {
  const [execution] = await query(
    tx,
    { event_type: text, result_id: nullable(text) },
    Prisma.sql`update agent_executions set status = 'completed', action = ${action}, reason = ${reason ?? ""},
        metadata = ${JSON.stringify(metadata ?? {})}::jsonb, next_attempt_at = null, started_at = coalesce(started_at, now()),
        completed_at = now(), updated_at = now()
      where uid = ${uid} and organization_id = ${tx.organizationId} and status in ('pending', 'running') and deadline > now()
      returning event_type, result_id`,
  );
  if (!execution) return false;
  if (execution.result_id !== null && (action === "approve" || action === "reject")) {
    await decide(tx, execution.result_id, action, reason);
  }
  await audit(tx, {
    action: "agent.acted",
    targetType: "agent_execution",
    targetId: uid,
    targetName: execution.event_type,
    after: { action, ...(reason && { reason }) },
  });
  return true;
}

/** Decides a result as a person would; a result that was decided before or deleted is left alone. */
async function decide(
  tx: Ctx,
  resultId: string,
  action: "approve" | "reject",
  reason: string | undefined,
): Promise<void> {
  try {
    await decideResult(tx, resultId, action === "approve" ? "accept" : "reject", { reason });
  } catch (error) {
    if (!isServiceError(error) || !["invalid", "not_found"].includes(error.code)) throw error;
  }
}

/**
 * Refuses an action that the caller may not submit: members act for agents that poll, and nobody decides a result of
 * their own. Throws `forbidden`, `invalid("execution")`.
 */
async function checkAction(tx: Ctx, uid: string, action: AgentAction): Promise<void> {
  const [execution] = await query(
    tx,
    { callback_url: text, result_id: nullable(text) },
    Prisma.sql`select a.callback_url, e.result_id from ${tables} join agents a on a.uid = e.agent_id
      where e.uid = ${uid} and ${visible(tx)}`,
  );
  if (!execution) throw invalid("execution", `Invalid pk "${uid}" - object does not exist.`);
  if (execution.callback_url !== "") requireRole(tx, "admin");
  const decides = action === "approve" || action === "reject";
  if (decides && execution.result_id !== null && (await isOwnResult(tx, execution.result_id)))
    throw invalid("execution", "You submitted the result; another person decides it.");
}

/**
 * Records an agent's action. Throws `forbidden` for a member's action in place of an agent that is pushed to, and
 * `invalid("execution")` for an execution that is not open, not the organization's, or about the caller's own result.
 */
export async function submitAction(ctx: Ctx, input: SubmitAction): Promise<ActionTaken> {
  const { execution: uid, ...action } = input;
  return transaction(ctx, async (tx) => {
    await checkAction(tx, uid, input.action);
    if (await completeExecution(tx, uid, action))
      return { detail: "The action was recorded.", execution_uid: uid, action: input.action };
    const [row] = await query(
      tx,
      { status: text, late: bool },
      Prisma.sql`select status, deadline <= now() as late from agent_executions where uid = ${uid} and organization_id = ${tx.organizationId}`,
    );
    if (!row) throw invalid("execution", `Invalid pk "${uid}" - object does not exist.`);
    const status = row.late && (row.status === "pending" || row.status === "running") ? "timed_out" : row.status;
    throw invalid("execution", `This execution is ${status}; actions are taken while it is pending or running.`);
  });
}

/** Queues a ping to an agent. Throws `not_found`. */
export async function pingAgent(ctx: Ctx, uid: string): Promise<PingQueued> {
  return transaction(ctx, async (tx) => {
    const agent = await findAgent(tx, uid, Prisma.sql`for key share`);
    const [execution = ""] = await queueExecutions(tx, [{ uid, callback_url: agent.callback_url }], "test.ping", {
      event: "test.ping",
    });
    await audit(tx, { action: "agent.tested", targetType: "agent", targetId: uid, targetName: agent.name });
    return { detail: "A test ping was queued.", execution_uid: execution, has_callback: agent.callback_url !== "" };
  });
}

/** Times out open executions past their deadline. Returns how many. */
export const timeOutExecutions = (): Promise<number> =>
  execute(
    { db: prisma },
    Prisma.sql`update agent_executions set status = 'timed_out', next_attempt_at = null, completed_at = now(), updated_at = now(),
        error_message = 'Nobody acted on it in time.'
      where completed_at is null and status in ('pending', 'running') and deadline <= now()`,
  );
