import { agentActions, executionStatuses } from "@/domain/agents/execution-status";
import type { ExecutionFilters, ExecutionListFilters } from "@/domain/agents/schema";
import type { EventObjectKind } from "@/domain/platform-events/event-object";
import type { ExecutionDetail, ExecutionResource, PingQueued } from "@/server/features/agents/resource";
import { noteAgentSeen } from "@/server/features/agents/seen-service";
import { findAgent } from "@/server/features/agents/service";
import { audit } from "@/server/features/audit/service";
import { toSentPayload, toSentPayloads } from "@/server/features/event-payloads/payload-service";
import { isEventVisible } from "@/server/features/membership/object-visibility-queries";
import { queueExecutions } from "@/server/features/platform-events/execution-queue-service";
import { eventBytes } from "@/server/features/tasks/event-result-service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, sql, transaction } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { conflict, notFound } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announceSoon } from "@/server/platform/realtime/changes";
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
import { uidFloor } from "@/server/platform/uid";

// The action is the agent's response whichever way it came; until then it is what a callback returned.
const columns = Prisma.sql`e.uid, e.agent_id as registration, e.event_type, e.task_id as task, e.result_id as result, e.status, e.action,
  e.event_payload, case when e.action is null then e.response_payload
    else jsonb_build_object('action', e.action, 'reason', e.reason, 'metadata', e.metadata) end as response_payload,
  e.error_message, e.reason, e.metadata, e.acted_by, e.by_hand, e.attempts, e.deadline, e.started_at, e.completed_at, e.created_at, e.updated_at, ${eventBytes(Prisma.sql`e.result_id`)}
    + 2 * octet_length(e.metadata::text) + coalesce(octet_length(e.response_payload::text), 0) as bytes`;

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
  reason: text,
  metadata: jsonbObject,
  acted_by: nullable(text),
  by_hand: bool,
  attempts: int4,
  deadline: timestamptz,
  started_at: nullable(timestamptz),
  completed_at: nullable(timestamptz),
  created_at: timestamptz,
  updated_at: timestamptz,
  bytes: int4,
};
type Row = Wire<typeof executionRow>;

/** The executions `e` of the organization whose objects the caller sees. */
export const visibleExecutions = (ctx: Ctx): Prisma.Sql =>
  Prisma.sql`e.organization_id = ${ctx.organizationId} and ${isEventVisible(ctx, Prisma.sql`e.event_type`, findUid)}`;

const findUid = (kind: EventObjectKind, member: string): Prisma.Sql =>
  kind === "task"
    ? Prisma.sql`e.task_id`
    : kind === "result"
      ? Prisma.sql`e.result_id`
      : Prisma.sql`e.event_payload->>${member}::text`;

/** With a single value, an index by this column is in the order of the list. */
const matchAny = (column: "status" | "event_type" | "action", values: readonly string[] | undefined): Prisma.Sql => {
  const [first, ...others] = values ?? [];
  if (first === undefined) return Prisma.empty;
  const tested = Prisma.raw(`e.${column}`);
  return others.length === 0
    ? Prisma.sql`and ${tested} = ${first}`
    : Prisma.sql`and ${tested} = any(${[first, ...others]})`;
};

/** SQL `and …` for each given filter, over executions `e`. */
export const narrowExecutions = (filters: Omit<ExecutionListFilters, "limit" | "cursor">): Prisma.Sql => {
  const { status, event_type: events, action: actions, since } = filters;
  return Prisma.sql`
    ${matchAny("status", status)} ${matchAny("event_type", events)} ${matchAny("action", actions)}
    ${since ? Prisma.sql`and e.uid >= ${uidFloor(null, since.getTime())}` : Prisma.empty}`;
};

/** The executions of an agent, newest first; reading them changes no status. Throws `not_found`. */
export async function listExecutions(
  ctx: Ctx,
  agentId: string,
  filters: ExecutionFilters,
): Promise<Page<ExecutionResource>> {
  await findAgent(ctx, agentId);
  const { limit, cursor, ...narrowing } = filters;
  const { project, task_types: taskTypes } = narrowing;
  const page = await keysetPage<Row>(ctx, {
    name: "agent-executions",
    filters: { agentId, ...narrowing },
    page: { limit, cursor },
    order: { columns: ["e.uid"], direction: "desc" },
    key: (execution) => [execution.uid],
    bytes: (execution) => execution.bytes,
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        executionRow,
        Prisma.sql`select ${columns} from agent_executions e where e.agent_id = ${agentId} and ${visibleExecutions(ctx)} and ${where}
        ${narrowExecutions(narrowing)}
        ${project === undefined ? Prisma.empty : Prisma.sql`and e.project_id = ${project}`}
        ${taskTypes?.length ? Prisma.sql`and e.task_type = any(${taskTypes})` : Prisma.empty}
        order by ${orderBy} limit ${rows}`,
      ),
  });
  if (ctx.actor.type === "api_key") noteAgentSeen(ctx, agentId, "poll");
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

const detailRow = { ...executionRow, next_attempt_at: nullable(timestamptz) };
const attemptRow = {
  uid: text,
  started_at: timestamptz,
  duration_ms: int4,
  ok: bool,
  status_code: nullable(int4),
  error: nullable(text),
  response: nullable(text),
};

/** One execution with the attempts to send it. Throws `not_found`. */
export async function getExecution(ctx: Ctx, uid: string): Promise<ExecutionDetail> {
  const [row] = await sql(
    detailRow,
    Prisma.sql`select ${columns}, e.next_attempt_at from agent_executions e where e.uid = ${uid} and ${visibleExecutions(ctx)}`,
  );
  if (!row) throw notFound();
  const attempts = await sql(
    attemptRow,
    Prisma.sql`select uid, started_at, duration_ms, ok, status_code, error, response from agent_attempts
      where execution_id = ${uid} order by uid limit 100`,
  );
  const { bytes: _, ...execution } = row;
  return {
    ...execution,
    event_payload: await toSentPayload(ctx, execution.event_payload),
    attempt_log: attempts,
  };
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

/**
 * Sends a failed execution to the agent again: it is open again, with a new deadline. Throws `not_found`, and
 * `conflict` unless it failed and its agent has a callback.
 */
export async function resendExecution(ctx: Ctx, uid: string): Promise<ExecutionDetail> {
  await transaction(ctx, async (tx) => {
    const [execution] = await query(
      tx,
      { agent_id: text, name: text, callback_url: text, event_type: text, status: text },
      Prisma.sql`select e.agent_id, a.name, a.callback_url, e.event_type, e.status
        from agent_executions e join agents a on a.uid = e.agent_id
        where e.uid = ${uid} and ${visibleExecutions(tx)} for update of e`,
    );
    if (!execution) throw notFound();
    if (execution.callback_url === "") throw conflict("This agent polls for its executions; nothing is sent to it.");
    if (execution.status !== "failed")
      throw conflict(`This execution is ${execution.status}; those that failed are sent again.`);
    await execute(
      tx,
      Prisma.sql`update agent_executions set status = 'pending', attempts = 0, next_attempt_at = now(), completed_at = null,
          error_message = null, deadline = now() + make_interval(secs => ${env.AGENT_TIMEOUT_SECONDS}::int), updated_at = now()
        where uid = ${uid}`,
    );
    await audit(tx, {
      action: "agent.resent",
      targetType: "agent_execution",
      targetId: uid,
      targetName: `${execution.name}: ${execution.event_type}`,
    });
    announceSoon(tx, "agent", execution.agent_id, "updated");
  });
  return getExecution(ctx, uid);
}

const isLate = Prisma.sql`completed_at is null and status in ('pending', 'running') and deadline <= now()`;

/** Whether there is any execution on which nobody acted in time, as an expression. */
export const anyLate = Prisma.sql`exists (select from agent_executions where ${isLate})`;

/** Times out open executions past their deadline. Returns how many. */
export async function timeOutExecutions(): Promise<number> {
  const late = await query(
    { db: prisma },
    { organization_id: text, agent_id: text },
    Prisma.sql`update agent_executions set status = 'timed_out', next_attempt_at = null, completed_at = now(), updated_at = now(),
        error_message = 'Nobody acted on it in time.'
      where ${isLate}
      returning organization_id, agent_id`,
  );
  for (const { organization_id, agent_id } of late)
    announceSoon(systemContext(prisma, organization_id), "agent", agent_id, "updated");
  return late.length;
}
