import { callOutcomes } from "@/domain/mcp/call";
import { hasRole } from "@/domain/permissions";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { flushToolCalls } from "@/server/platform/mcp/tool-calls";
import { int4, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";

const callRow = {
  uid: text,
  /** The key that called, or the person. */
  actor_name: text,
  tool: text,
  ms: int4,
  outcome: oneOf(callOutcomes),
  /** Why it was refused; empty for others. */
  detail: text,
  created_at: timestamptz,
};
export type McpCall = Wire<typeof callRow>;

const shown = 50;

/** The last 50 calls of tools, newest first: all of the organization for admins, else those of the caller's keys. */
export async function listMcpCalls(ctx: Ctx): Promise<McpCall[]> {
  // Those that wait in this process are among the last.
  await flushToolCalls();
  return sql(
    callRow,
    Prisma.sql`select uid, actor_name, tool, ms, outcome, detail, created_at from mcp_calls
      where organization_id = ${ctx.organizationId}
        ${hasRole(ctx.permissions, "admin") ? Prisma.empty : Prisma.sql`and user_id = ${ctx.actor.userId ?? ""}`}
      order by uid desc limit ${shown}`,
  );
}
