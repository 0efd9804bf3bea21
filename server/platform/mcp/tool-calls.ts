import type { CallOutcome } from "@/domain/mcp/call";
import type { Ctx } from "@/server/platform/context";
import { pool } from "@/server/platform/db";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";
import { announceSoon } from "@/server/platform/realtime/changes";
import { warnRepeated } from "@/server/platform/repeated-warnings";
import { uuidv7 } from "@/server/platform/uid";

const log = logFor("mcp");

interface ToolCall {
  tool: string;
  ms: number;
  outcome: CallOutcome;
  /** Why it was refused; empty for others. Arguments and results are never stored. */
  detail: string;
}

interface WaitingCall extends ToolCall {
  uid: string;
  organization_id: string;
  actor_type: string;
  actor_id: string | null;
  actor_name: string;
  user_id: string | null;
}

/** Calls that wait to be written. Beyond the limit further ones are dropped. */
const waiting = processWide("toolCalls", () => ({ rows: [] as WaitingCall[], timer: false }));
const maxWaiting = 5_000;
const flushMs = 1_000;
const maxDetail = 300;
/** The newest calls of an organization that are retained. */
const retainedCalls = 500;

/** Records a call of a tool, a moment later: the call neither waits for it nor fails with it. */
export function noteToolCall({ organizationId, actor }: Ctx, { tool, ms, outcome, detail }: ToolCall): void {
  if (waiting.rows.length >= maxWaiting) return;
  waiting.rows.push({
    uid: uuidv7(),
    organization_id: organizationId,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_name: actor.name,
    user_id: actor.userId,
    tool,
    ms: Math.round(ms),
    outcome,
    detail: detail.slice(0, maxDetail),
  });
  if (waiting.timer) return;
  waiting.timer = true;
  setTimeout(() => {
    waiting.timer = false;
    flushToolCalls().catch((error: unknown) =>
      warnRepeated(log, { err: error }, "calls of tools could not be written"),
    );
  }, flushMs).unref();
}

const writeStatement = `
  with given as (
    select * from jsonb_to_recordset($1::jsonb) as g(uid text, organization_id text, actor_type text, actor_id text,
      actor_name text, user_id text, tool text, ms int, outcome text, detail text)
    where exists (select 1 from organizations o where o.uid = g.organization_id)
  ), old as (
    delete from mcp_calls c using (select distinct organization_id from given) g
    where c.organization_id = g.organization_id and c.uid < (
      select k.uid from mcp_calls k where k.organization_id = g.organization_id order by k.uid desc offset $2 limit 1)
  )
  insert into mcp_calls (uid, organization_id, actor_type, actor_id, actor_name, user_id, tool, ms, outcome, detail)
  select uid, organization_id, actor_type, actor_id, actor_name, user_id, tool, ms, outcome, detail from given`;

/** Writes what waits. Called when the process ends, too. */
export async function flushToolCalls(): Promise<void> {
  const rows = waiting.rows.splice(0);
  if (rows.length === 0) return;
  await pool.query({
    name: "tool-calls-write",
    text: writeStatement,
    values: [JSON.stringify(rows), retainedCalls - 1],
  });
  // The list as a whole changed: one notification for all of an organization's calls.
  for (const organizationId of new Set(rows.map((row) => row.organization_id)))
    announceSoon({ organizationId }, "mcp_call", organizationId, "created");
}
