import { agentActions, type AgentAction } from "@/domain/agents/schema";
import { jsonDepth, maxJsonDepth } from "@/domain/fields";
import { systemPermissions } from "@/domain/permissions";
import { completeExecution } from "@/server/features/agents/executions-service";
import { openAgentSecret } from "@/server/features/agents/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query, transaction } from "@/server/platform/db";
import { failure, postJson, type Outcome } from "@/server/platform/http-client/post";
import { signHeaders } from "@/server/platform/http-client/signature";
import { logFor } from "@/server/platform/log";
import type { Due } from "@/server/platform/outbox/outbox";

const log = logFor("agents");

/** Milliseconds that a claimed execution belongs to whoever claimed it; longer than any attempt takes. */
const leaseMs = 45_000;
/** Milliseconds after the first and the second failed attempt; the third is the last. */
const delays = [5_000, 30_000] as const;

const everywhere = { db: prisma };

/** An execution that this process, and no other, may push now. */
export interface Claim extends Due {
  organization_id: string;
  event_type: string;
  attempts: number;
  payload: Record<string, unknown>;
  name: string;
  callback_url: string;
  secret_sealed: string;
}

/** Executions to be pushed, so many of each agent that is not in `full`. */
export const dueExecutions = (
  at: Date,
  choice: { full: string[]; except: string[]; perTarget: number; organizationId: string | null },
  limit: number,
): Promise<Due[]> =>
  query<Due>(
    everywhere,
    Prisma.sql`with recursive targets as (
        (select min(agent_id) as target from agent_executions where next_attempt_at is not null)
        union all
        select (select min(e.agent_id) from agent_executions e where e.next_attempt_at is not null and e.agent_id > t.target)
          from targets t where t.target is not null
      )
      select due.uid, t.target from targets t cross join lateral (
        select e.uid, e.next_attempt_at from agent_executions e
        where e.agent_id = t.target and e.next_attempt_at <= ${at}::timestamptz and e.uid <> all(${choice.except}::text[])
          ${choice.organizationId === null ? Prisma.empty : Prisma.sql`and e.organization_id = ${choice.organizationId}`}
        order by e.next_attempt_at limit ${choice.perTarget}) due
      where t.target <> all(${choice.full}::text[])
      order by due.next_attempt_at limit ${limit}`,
  );

/** Claims executions for one attempt; those that somebody else claimed, or that were acted on, are left out. */
export const claimExecutions = (uids: string[], at: Date): Promise<Claim[]> =>
  query<Claim>(
    everywhere,
    Prisma.sql`update agent_executions e
      set attempts = e.attempts + 1, next_attempt_at = ${new Date(at.getTime() + leaseMs)}::timestamptz
      from agents a
      where a.uid = e.agent_id and e.uid in (select w.uid from agent_executions w
        where w.uid = any(${uids}) and w.status = 'pending' and w.next_attempt_at <= ${at}::timestamptz
        order by w.uid for update skip locked)
      returning e.uid, e.agent_id as target, e.organization_id, e.event_type, e.attempts, e.event_payload as payload,
        a.name, a.callback_url, a.secret_sealed`,
  );

/** Pushes a claimed execution once and has it written down what became of it. */
export async function pushExecution(claim: Claim, at: () => Date): Promise<Outcome> {
  const { uid, target, organization_id, event_type: event, payload } = claim;
  const body = JSON.stringify({ ...payload, execution_uid: uid });
  let outcome: Outcome;
  try {
    const secret = openAgentSecret(organization_id, target, claim.secret_sealed);
    const timestamp = Math.floor(Date.now() / 1_000);
    outcome = await postJson(
      claim.callback_url,
      body,
      signHeaders({ secret, id: uid, timestamp, body, event, deliveryId: uid }),
    );
  } catch (error) {
    log.error({ err: error, execution: uid }, "an execution could not be pushed");
    outcome = failure("The event could not be sent.");
  }
  await note(claim, outcome, at());
  return outcome;
}

/** The agent itself, as who acts when its answer holds an action. */
const agentContext = ({ organization_id, target, name }: Claim): Ctx => ({
  organizationId: organization_id,
  actor: { type: "agent", id: target, name, userId: null, username: null },
  permissions: systemPermissions,
  db: prisma,
  ip: null,
  requestId: null,
});

async function note(claim: Claim, outcome: Outcome, now: Date): Promise<void> {
  const ctx = agentContext(claim);
  const answer = answerOf(outcome.response);
  const delay = outcome.ok || outcome.final ? undefined : delays[claim.attempts - 1];
  const next = delay === undefined ? null : new Date(now.getTime() + delay);
  const status = outcome.ok ? "running" : next ? "pending" : "failed";
  await transaction(ctx, async (tx) => {
    // Guarded by the attempt, and by the status: an action may have come by another way meanwhile.
    const rows = await query<{ uid: string }>(
      tx,
      Prisma.sql`update agent_executions set status = ${status}, next_attempt_at = ${next}::timestamptz,
          response_payload = ${answer === null ? null : JSON.stringify(answer)}::jsonb, error_message = ${outcome.error},
          started_at = case when ${outcome.ok} then coalesce(started_at, now()) else started_at end,
          completed_at = case when ${status === "failed"} then now() end, updated_at = now()
        where uid = ${claim.uid} and status = 'pending' and attempts = ${claim.attempts} returning uid`,
    );
    const action = agentActions.find((each) => each === answer?.action);
    if (rows.length > 0 && outcome.ok && action) await completeExecution(tx, claim.uid, saidIn(action, answer ?? {}));
  });
}

const saidIn = (action: AgentAction, { reason }: Record<string, unknown>) => ({
  action,
  ...(typeof reason === "string" && { reason: [...reason.replaceAll("\0", "")].slice(0, 2_048).join("") }),
});

/** What an agent answered, when that is a JSON object. */
function answerOf(text: string | null): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text ?? "");
    const fits =
      typeof value === "object" && value !== null && !Array.isArray(value) && jsonDepth(value) <= maxJsonDepth;
    return fits && !/\\u0000|\\ud[89a-f]/i.test(text ?? "") ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
