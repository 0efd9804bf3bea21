import type { AgentAction } from "@/domain/agents/execution-status";
import type { SubmitAction } from "@/domain/agents/schema";
import { visibleExecutions } from "@/server/features/agents/executions-service";
import type { ActionTaken } from "@/server/features/agents/resource";
import { noteAgentSeen } from "@/server/features/agents/seen-service";
import { audit } from "@/server/features/audit/service";
import { flagResult } from "@/server/features/issues/service";
import { decideResult, isOwnResult } from "@/server/features/tasks/decision-service";
import { requireRole, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, transaction } from "@/server/platform/db";
import { invalid, isServiceError } from "@/server/platform/errors";
import { announceSoon } from "@/server/platform/realtime/changes";
import { bool, nullable, text } from "@/server/platform/rows";

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
  const byHand = tx.actor.type === "user";
  // As the result says who decided it, so that the two can be compared.
  const actedBy = tx.actor.username ?? tx.actor.name;
  const [execution] = await query(
    tx,
    { agent_id: text, event_type: text, result_id: nullable(text) },
    Prisma.sql`update agent_executions set status = 'completed', action = ${action}, reason = ${reason ?? ""},
        metadata = ${JSON.stringify(metadata ?? {})}::jsonb, acted_by = ${actedBy}, by_hand = ${byHand}, next_attempt_at = null, started_at = coalesce(started_at, now()),
        completed_at = now(), updated_at = now()
      where uid = ${uid} and organization_id = ${tx.organizationId} and status in ('pending', 'running') and deadline > now()
      returning agent_id, event_type, result_id`,
  );
  if (!execution) return false;
  if (execution.result_id !== null && (action === "approve" || action === "reject")) {
    await decide(tx, execution.result_id, action, reason);
  }
  if (execution.result_id !== null && action === "flag") await flagResult(tx, execution.result_id, reason ?? "");
  await audit(tx, {
    action: "agent.acted",
    targetType: "agent_execution",
    targetId: uid,
    targetName: execution.event_type,
    after: { action, ...(reason && { reason }) },
  });
  announceSoon(tx, "agent", execution.agent_id, "updated");
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
 * Refuses an action that the caller may not submit: members act for agents that poll, by key, and nobody decides a
 * result of their own. Resolves to the agent. Throws `forbidden`, `invalid("execution")`.
 */
async function checkAction(tx: Ctx, uid: string, action: AgentAction): Promise<string> {
  const [execution] = await query(
    tx,
    { agent_id: text, callback_url: text, result_id: nullable(text) },
    Prisma.sql`select e.agent_id, a.callback_url, e.result_id from agent_executions e join agents a on a.uid = e.agent_id
      where e.uid = ${uid} and ${visibleExecutions(tx)}`,
  );
  if (!execution) throw invalid("execution", `Invalid pk "${uid}" - object does not exist.`);
  if (execution.callback_url !== "" || tx.actor.type === "user") requireRole(tx, "admin");
  const decides = action === "approve" || action === "reject";
  if (decides && execution.result_id !== null && (await isOwnResult(tx, execution.result_id)))
    throw invalid("execution", "You submitted the result; another person decides it.");
  return execution.agent_id;
}

/**
 * Records an agent's action. Throws `forbidden` for a member's action in place of an agent that is pushed to, and
 * `invalid("execution")` for an execution that is not open, not the organization's, or about the caller's own result.
 */
export async function submitAction(ctx: Ctx, input: SubmitAction): Promise<ActionTaken> {
  const { execution: uid, ...action } = input;
  return transaction(ctx, async (tx) => {
    const agentId = await checkAction(tx, uid, input.action);
    if (await completeExecution(tx, uid, action)) {
      if (ctx.actor.type === "api_key") noteAgentSeen(ctx, agentId, "poll");
      return { detail: "The action was recorded.", execution_uid: uid, action: input.action };
    }
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
