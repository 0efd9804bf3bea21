import { judgements } from "@/domain/rules/judgements";
import { readRule } from "@/server/features/rules/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { float8, int4, notNull, nullable, oneOf, text, type Wire } from "@/server/platform/rows";

const outcomeRow = { recording_id: notNull(text), judgement: notNull(oneOf(judgements)) };
const peakedRow = { ...outcomeRow, hit_count: int4, lowest_peak: nullable(float8), highest_peak: nullable(float8) };
/** With peaks where they were asked for: how many hits its recording has, and how far those went. */
export type Outcome = Wire<typeof outcomeRow> & Partial<Wire<typeof peakedRow>>;

/** The newest alerts say enough of how a rule does. */
const maxOutcomes = 1_000;

/**
 * What people decided about a rule's alerts, by recording, the newest first: those that they fixed, and false alarms. Throws
 * `not_found`.
 */
export async function listOutcomes(ctx: Ctx, uid: string, { peaks = false } = {}): Promise<Outcome[]> {
  await readRule(ctx, uid);
  if (peaks) return listPeaks(ctx, uid);
  return sql(
    outcomeRow,
    Prisma.sql`select a.recording_id, a.resolution_reason as judgement from alerts a
      where a.organization_id = ${ctx.organizationId} and a.rule_id = ${uid} and a.status = 'resolved'
        and a.recording_id is not null and a.resolution_reason = any(${[...judgements]})
      order by a.uid desc limit ${maxOutcomes}`,
  );
}

const listPeaks = (ctx: Ctx, uid: string): Promise<Outcome[]> =>
  sql(
    peakedRow,
    Prisma.sql`select a.recording_id, a.judgement, h.hit_count, h.lowest_peak, h.highest_peak
      from (select uid, rule_id, recording_id, organization_id, resolution_reason as judgement from alerts
        where organization_id = ${ctx.organizationId} and rule_id = ${uid} and status = 'resolved'
          and recording_id is not null and resolution_reason = any(${[...judgements]})
        order by uid desc limit ${maxOutcomes}) a,
      lateral (select count(*)::int as hit_count, min(h.peak) as lowest_peak, max(h.peak) as highest_peak from rule_hits h
        where h.rule_id = a.rule_id and h.recording_id = a.recording_id and h.organization_id = a.organization_id) h
      order by a.uid desc`,
  );
