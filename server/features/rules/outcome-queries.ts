import { judgements } from "@/domain/rules/judgements";
import { readRule } from "@/server/features/rules/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { notNull, oneOf, text, type Wire } from "@/server/platform/rows";

const outcomeRow = { recording_id: notNull(text), judgement: notNull(oneOf(judgements)) };
export type Outcome = Wire<typeof outcomeRow>;

/** The newest alerts say enough of how a rule does. */
const maxOutcomes = 1_000;

/**
 * What people decided about a rule's alerts, by recording, the newest first: those that they fixed, and false alarms. Throws
 * `not_found`.
 */
export async function listOutcomes(ctx: Ctx, uid: string): Promise<Outcome[]> {
  await readRule(ctx, uid);
  return sql(
    outcomeRow,
    Prisma.sql`select a.recording_id, a.resolution_reason as judgement from alerts a
      where a.organization_id = ${ctx.organizationId} and a.rule_id = ${uid} and a.status = 'resolved'
        and a.recording_id is not null and a.resolution_reason = any(${[...judgements]})
      order by a.uid desc limit ${maxOutcomes}`,
  );
}
