import { serializeAlert, type AlertDetail, type AlertRow } from "@/server/features/alerts/resource";
import { activeSilences, silencingCase, type ActiveSilence } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";

/** The columns of an alert under their wire names. Names of what still exists are the present ones. */
export const alertColumns = (silences: readonly ActiveSilence[]): Prisma.Sql => Prisma.sql`
  a.uid, a.rule_id, coalesce(r.name, a.rule_name) as rule_name, a.rule_version,
  a.device_id, coalesce(d.name, a.device_name) as device_name, a.recording_id, a.severity, a.status, a.message,
  a.occurrence_count, a.triggered_at, a.acknowledged_at, a.acknowledged_by, a.resolved_at, a.resolved_by, a.note,
  a.resolution_reason, u.username as assignee, a.assignee_id, a.snoozed_until, a.silence_id,
  case when a.status = 'resolved' then null else ${silencingCase(silences)} end as active_silence_id,
  coalesce((select case when bool_or(n.status = 'failed') then 'failed' when bool_or(n.status = 'pending') then 'pending'
      else 'delivered' end from notifications n where n.alert_id = a.uid and n.status <> 'canceled'
    having count(*) > 0), 'none') as delivery,
  a.demo, a.created_at, a.updated_at`;

export const alertTables = Prisma.sql`alerts a
  left join devices d on d.uid = a.device_id
  left join rules r on r.uid = a.rule_id
  left join users u on u.uid = a.assignee_id`;

/** One alert with its evidence, read in the transaction of `ctx`. Throws `not_found`. */
export async function readAlert(ctx: Ctx, uid: string): Promise<AlertDetail> {
  const silences = await activeSilences(ctx);
  const [row] = await query<AlertRow & { evidence: Record<string, unknown> }>(
    ctx,
    Prisma.sql`select ${alertColumns(silences)}, a.evidence from ${alertTables}
      where a.uid = ${uid} and a.organization_id = ${ctx.organizationId}`,
  );
  if (!row) throw notFound();
  const { evidence, ...rest } = row;
  return { ...serializeAlert(rest), evidence };
}
