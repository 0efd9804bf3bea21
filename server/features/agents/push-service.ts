import { z } from "zod";
import { maxReasonLength } from "@/domain/agents/execution-status";
import { actionFields } from "@/domain/agents/schema";
import { jsonDepth, maxJsonDepth } from "@/domain/fields";
import { systemPermissions } from "@/domain/permissions";
import { completeExecution } from "@/server/features/agents/actions-service";
import { noteAgentSeen } from "@/server/features/agents/seen-service";
import { openAgentSecret } from "@/server/features/agents/service";
import { toSentPayload } from "@/server/features/event-payloads/payload-service";
import { databaseMs } from "@/server/platform/clock";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query, type OnDb } from "@/server/platform/db";
import { postJson, type Outcome } from "@/server/platform/http-client/post";
import { signHeaders } from "@/server/platform/http-client/signature";
import { type Claim, type Noted, type OutboxDefinition, identifier } from "@/server/platform/outbox/definition";
import { Outbox } from "@/server/platform/outbox/outbox";
import { processWide } from "@/server/platform/process-wide";
import { announceSoon } from "@/server/platform/realtime/changes";
import { type Native, text, type Wire, jsonObject } from "@/server/platform/rows";
import { storedJson } from "@/server/platform/stored-text";

/** Room for an action with the longest reason and metadata. */
const maxResponseBytes = 96 * 1024;

const executionRow = { event_type: text, payload: jsonObject };
type ExecutionRow = Wire<typeof executionRow>;

const agentRow = { uid: text, organization_id: text, name: text, callback_url: text, secret_sealed: text };
type Agent = Native<typeof agentRow>;

/** How the outbox pushes executions to agents. */
export const agentPushes: OutboxDefinition<ExecutionRow, Agent> = {
  name: "agents",
  table: identifier("agent_executions"),
  target: identifier("agent_id"),
  sequence: null,
  columns: Prisma.sql`r.event_type, r.event_payload as payload`,
  row: executionRow,
  received: "running",
  assignments: Prisma.sql`response_payload = a.response::jsonb, error_message = a.error,
    started_at = case when a.ok then coalesce(r.started_at, now()) else r.started_at end,
    completed_at = case when a.status = 'failed' then now() end`,
  attemptLog: { table: identifier("agent_attempts"), row: identifier("execution_id") },
  retry: { delays: [5_000, 30_000], jitter: 0, honoursRetryAfter: false },
  concurrency: { total: 64, initial: 4, max: 16 },
  unsent: "The event could not be sent.",
  loadTargets: loadAgents,
  send,
  whileNoting: completeFromResponses,
  afterNoting: async (noted) => {
    for (const { claim, outcome } of noted) {
      const ctx = systemContext(prisma, claim.organization_id);
      announceSoon(ctx, "agent", claim.target, "updated");
      if (outcome.ok) noteAgentSeen(ctx, claim.target, "push");
    }
  },
};

async function loadAgents(uids: string[]): Promise<Map<string, Agent>> {
  const rows = await query(
    { db: prisma },
    agentRow,
    Prisma.sql`select uid, organization_id, name, callback_url, secret_sealed from agents where uid = any(${uids})`,
  );
  return new Map(rows.map((row) => [row.uid, row]));
}

/** Pushes an execution. The response of the outcome is the text of a JSON object that can be stored, or null. */
async function send(claim: Claim<ExecutionRow>, agent: Agent): Promise<Outcome> {
  const { uid, organization_id: organizationId, event_type: event, payload } = claim;
  const sent = await toSentPayload(systemContext(prisma, organizationId), payload);
  const body = JSON.stringify({ ...sent, execution_uid: uid });
  const secret = openAgentSecret(organizationId, agent.uid, agent.secret_sealed);
  const timestamp = Math.floor(databaseMs() / 1_000);
  const headers = signHeaders({ secret, id: uid, timestamp, body, event, deliveryId: uid });
  const outcome = await postJson(agent.callback_url, body, { headers, responseBytes: maxResponseBytes });
  return { ...outcome, response: toStorableObject(outcome.response) };
}

/** An action in the response of a callback. What is too long is cut or left out, because nobody reads a refusal. */
const CallbackAction = z.object({
  action: actionFields.action,
  reason: z
    .string()
    .transform((text) => [...text].slice(0, maxReasonLength).join(""))
    .optional()
    .catch(undefined),
  metadata: actionFields.metadata.optional().catch(undefined),
});

/** A context in which the agent is the actor, for an action in its response. */
const agentContext = ({ uid, organization_id, name }: Agent, db: Ctx["db"]): Ctx => ({
  organizationId: organization_id,
  actor: { type: "agent", id: uid, name, userId: null, username: null },
  permissions: systemPermissions,
  db,
  ip: null,
  requestId: null,
});

/** Completes the executions whose response contains an action. */
async function completeFromResponses({ db }: OnDb, noted: readonly Noted<ExecutionRow, Agent>[]): Promise<void> {
  for (const { claim, target, outcome } of noted) {
    if (!target || !outcome.ok || outcome.response === null) continue;
    const response = CallbackAction.safeParse(JSON.parse(outcome.response));
    if (response.success) await completeExecution(agentContext(target, db), claim.uid, response.data);
  }
}

/** A response as the text of a JSON object that PostgreSQL can store; null for any other response. */
function toStorableObject(text: string | null): string | null {
  try {
    const value: unknown = JSON.parse(text ?? "");
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    if (jsonDepth(value) > maxJsonDepth) return null;
    const stored = storedJson(value);
    // In the names of members; texts were repaired.
    return /\\u0000|\\ud[89a-f]/.test(stored) ? null : stored;
  } catch {
    return null;
  }
}

/** The outbox of this process. */
export const agentOutbox = (): Outbox<ExecutionRow, Agent> => processWide("agentOutbox", () => new Outbox(agentPushes));
