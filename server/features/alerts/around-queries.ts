import { severities, type Severity } from "@/domain/severity";
import { dateFromNs } from "@/domain/time/nanoseconds";
import { readAlert } from "@/server/features/alerts/alert-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { int8, notNull, nullable, oneOf, text } from "@/server/platform/rows";

const minuteNs = 60_000_000_000n;
/** Of each kind. */
const max = 20;

/** Something else that happened on the device of an alert. Nanoseconds since 1970 as decimal strings. */
export interface HappenedAround {
  kind: "alert" | "event" | "status";
  uid: string;
  time_ns: string;
  text: string;
  severity: Severity | null;
  /** Of an event: where it is shown. */
  recording_id: string | null;
}

/** Other alerts, events and changes of connectivity of a device within a minute of an alert. Throws `not_found`. */
export async function listAround(ctx: Ctx, uid: string): Promise<HappenedAround[]> {
  const alert = await readAlert(ctx, uid);
  const at = BigInt(new Date(alert.triggered_at).getTime()) * 1_000_000n;
  const [from, to] = [at - minuteNs, at + minuteNs];
  const rows = await query(
    ctx,
    {
      kind: oneOf(["alert", "event", "status"] as const),
      uid: text,
      time_ns: notNull(int8),
      text,
      severity: nullable(oneOf(severities)),
      recording_id: nullable(text),
    },
    Prisma.sql`
      (select 'alert' as kind, a.uid, a.triggered_ns as time_ns, a.rule_name as text, a.severity, a.recording_id
        from alerts a where a.device_id = ${alert.device_id} and a.organization_id = ${ctx.organizationId}
          and a.triggered_at between ${dateFromNs(from)} and ${dateFromNs(to)} and a.uid <> ${uid}
        order by a.triggered_at, a.uid limit ${max}::int)
      union all
      (select 'event', e.uid, e.timestamp_ns, e.label, e.severity, e.recording_id
        from events e where e.device_id = ${alert.device_id} and e.organization_id = ${ctx.organizationId}
          and e.timestamp_ns between ${from}::bigint and ${to}::bigint
        order by e.timestamp_ns, e.uid limit ${max}::int)
      union all
      (select 'status', s.uid, (extract(epoch from s.at) * 1000)::bigint * 1000000,
          s.status || case when s.reason = '' then '' else ': ' || s.reason end, null, null
        from device_status_changes s where s.device_id = ${alert.device_id}
          and s.organization_id = ${ctx.organizationId} and s.at between ${dateFromNs(from)} and ${dateFromNs(to)}
        order by s.at, s.uid limit ${max}::int)
      order by time_ns, uid`,
  );
  return rows.map(({ time_ns: time, ...row }) => ({ ...row, time_ns: String(time) }));
}
