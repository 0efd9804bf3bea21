import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { nullable, text } from "@/server/platform/rows";

const guidanceRow = { runbook: text, owner: nullable(text) };

/** What its rule says to whoever has an alert. */
export interface Guidance {
  /** What to do: Markdown, or the address of a page; empty for none. */
  runbook: string;
  /** Who answers for the rule; null for nobody. */
  owner: string | null;
}

/** What a rule says about its alerts as it is now; nothing where it is gone. */
export async function readGuidance(ctx: Ctx, ruleUid: string): Promise<Guidance> {
  const [row] = await sql(
    guidanceRow,
    Prisma.sql`select coalesce(r.runbook, '') as runbook, u.username as owner from rules r
      left join memberships m on m.organization_id = r.organization_id and m.user_id = r.owner_id
      left join users u on u.uid = m.user_id
      where r.uid = ${ruleUid} and r.organization_id = ${ctx.organizationId}`,
  );
  return row ?? { runbook: "", owner: null };
}
