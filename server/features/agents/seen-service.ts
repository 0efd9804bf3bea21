import { LRUCache } from "lru-cache";
import type { AgentMode } from "@/domain/agents/execution-status";
import type { Ctx } from "@/server/platform/context";
import { pool } from "@/server/platform/db";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";
import { announceSoon } from "@/server/platform/realtime/changes";
import { warnRepeated } from "@/server/platform/repeated-warnings";

const log = logFor("agents");

const recentlySeen = processWide("agentsSeen", () => new LRUCache<string, true>({ max: 10_000, ttl: 60_000 }));

/**
 * Records, at most once a minute, that an agent asked for its executions or received one. Only a sign of the agent's
 * own mode counts: nobody polls for one that is sent to. Does not delay what the agent does.
 */
export function noteAgentSeen(ctx: Ctx, uid: string, mode: AgentMode): void {
  const key = `${uid} ${mode}`;
  if (recentlySeen.has(key)) return;
  recentlySeen.set(key, true);
  pool
    .query(
      `update agents set last_seen_at = now()
       where uid = $1 and organization_id = $2 and (callback_url = '') = $3
         and (last_seen_at is null or last_seen_at < now() - interval '1 minute')`,
      [uid, ctx.organizationId, mode === "poll"],
    )
    .then(({ rowCount }) => {
      if (rowCount) announceSoon(ctx, "agent", uid, "updated");
    })
    .catch((error: unknown) => warnRepeated(log, { err: error }, "could not record that an agent was seen"));
}
