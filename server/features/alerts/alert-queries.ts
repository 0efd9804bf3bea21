import { alertStatuses } from "@/domain/alerts/lifecycle";
import { deliveryStates } from "@/domain/channels/delivery-status";
import { severities } from "@/domain/severity";
import { serializeAlert, type AlertDetail } from "@/server/features/alerts/resource";
import { activeSilences, silencingCase, type ActiveSilence } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { bool, int4, jsonbObject, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";

/** What an audit entry calls an alert: names of 255 characters at most each. */
export const nameAlert = (alert: { rule_name: string; device_name: string }): string =>
  alert.device_name === "" ? alert.rule_name : `${alert.rule_name} on ${alert.device_name}`;

/** The columns of an alert under their wire names; rule and device have their current names while they exist. */
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

/** What `alertColumns` selects. */
export const alertRow = {
  uid: text,
  rule_id: text,
  rule_name: text,
  rule_version: int4,
  device_id: text,
  device_name: text,
  recording_id: nullable(text),
  severity: oneOf(severities),
  status: oneOf(alertStatuses),
  message: text,
  occurrence_count: int4,
  triggered_at: timestamptz,
  acknowledged_at: nullable(timestamptz),
  acknowledged_by: nullable(text),
  resolved_at: nullable(timestamptz),
  resolved_by: nullable(text),
  note: text,
  resolution_reason: nullable(text),
  assignee: nullable(text),
  assignee_id: nullable(text),
  snoozed_until: nullable(timestamptz),
  silence_id: nullable(text),
  active_silence_id: nullable(text),
  delivery: oneOf(deliveryStates),
  demo: bool,
  created_at: timestamptz,
  updated_at: timestamptz,
};

export const alertTables = Prisma.sql`alerts a
  left join devices d on d.uid = a.device_id
  left join rules r on r.uid = a.rule_id
  left join users u on u.uid = a.assignee_id`;

/** One alert with its evidence, read in the transaction of `ctx`. Throws `not_found`. */
export async function readAlert(ctx: Ctx, uid: string): Promise<AlertDetail> {
  const silences = await activeSilences(ctx);
  const [row] = await query(
    ctx,
    { ...alertRow, evidence: jsonbObject },
    Prisma.sql`select ${alertColumns(silences)}, a.evidence from ${alertTables}
      where a.uid = ${uid} and a.organization_id = ${ctx.organizationId}`,
  );
  if (!row) throw notFound();
  const { evidence, ...rest } = row;
  return { ...serializeAlert(rest), evidence };
}
