import { z } from "zod";
import { alertStatuses } from "@/domain/alerts/lifecycle";
import { severities } from "@/domain/severity";
import { readAlert } from "@/server/features/alerts/alert-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { int4, json, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";

const previousAlertRow = {
  uid: text,
  status: oneOf(alertStatuses),
  severity: oneOf(severities),
  message: text,
  occurrence_count: int4,
  triggered_at: timestamptz,
  resolved_at: nullable(timestamptz),
  resolved_by: nullable(text),
  resolution_reason: nullable(text),
  note: text,
  comments: json(z.array(z.object({ author: z.string(), body: z.string(), created_at: z.string() }))),
};
export type PreviousAlert = Wire<typeof previousAlertRow>;

const max = 5;

/**
 * Alerts of the same rule and device that triggered earlier, the latest first, with their last comments; robots upload
 * late, so those may have been found later. Throws `not_found`.
 */
export async function previousAlerts(ctx: Ctx, uid: string): Promise<PreviousAlert[]> {
  const alert = await readAlert(ctx, uid);
  return sql(
    previousAlertRow,
    Prisma.sql`
    select a.uid, a.status, a.severity, a.message, a.occurrence_count, a.triggered_at, a.resolved_at, a.resolved_by,
      a.resolution_reason, a.note,
      coalesce((select json_agg(json_build_object('author', c.author_name, 'body', left(c.body, 500), 'created_at', c.created_at) order by c.uid)
        from (select * from alert_comments where alert_id = a.uid order by uid desc limit 3) c), '[]') as comments
    from alerts a
    where a.rule_id = ${alert.rule_id} and a.device_id = ${alert.device_id} and a.organization_id = ${ctx.organizationId}
      and (a.triggered_at, a.uid) < (${alert.triggered_at}, ${uid})
    order by a.triggered_at desc, a.uid desc limit ${max}`,
  );
}

const steps = 12;

/** For alerts with several triggers in a recording: the count in each twelfth of it. Others are left out. */
export async function occurrences(ctx: Ctx, uids: readonly string[]): Promise<Record<string, number[]>> {
  const rows = await sql(
    { uid: text, step: int4, count: int4 },
    Prisma.sql`
    select a.uid, least(${steps - 1}, ((h.triggered_ns - r.start_ns) * ${steps} / greatest(1, r.end_ns - r.start_ns)))::int as step,
      count(*)::int as count
    from alerts a
    join recordings r on r.uid = a.recording_id and r.organization_id = a.organization_id and r.start_ns is not null and r.end_ns is not null
    join rule_hits h on h.rule_id = a.rule_id and h.recording_id = a.recording_id
    where a.uid = any(${[...uids]}) and a.organization_id = ${ctx.organizationId} and a.occurrence_count > 1
    group by 1, 2`,
  );
  const series: Record<string, number[]> = {};
  for (const { uid, step, count } of rows) {
    const values = (series[uid] ??= Array.from({ length: steps }, () => 0));
    values[Math.max(0, step)] = count;
  }
  return series;
}

/** When an alert of the organization was last resolved; null when none ever was. */
export async function lastResolved(ctx: Ctx): Promise<{ at: string | null }> {
  const [row] = await sql(
    { at: timestamptz },
    Prisma.sql`
    select created_at as at from audit_entries where organization_id = ${ctx.organizationId} and action = 'alert.resolved'
    order by uid desc limit 1`,
  );
  return { at: row?.at ?? null };
}
