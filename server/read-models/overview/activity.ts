import type { ShownRows } from "@/domain/demo/schema";
import type { ActivityRange } from "@/domain/overview/groupings";
import { severities, type Severity } from "@/domain/severity";
import { demoFilter } from "@/server/features/devices/demo-queries";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { int4, int8, oneOf, text, type Wire } from "@/server/platform/rows";
import { severityOfRank } from "@/server/platform/severity-sql";
import { toCounts } from "@/server/read-models/overview/tiles";

const hour = 3_600_000;
const spans: Record<ActivityRange, { span: number; bucket: number }> = {
  "24h": { span: 24 * hour, bucket: hour },
  "7d": { span: 7 * 24 * hour, bucket: 6 * hour },
  "30d": { span: 30 * 24 * hour, bucket: 24 * hour },
};

/** The maximum of alerts that are read, the last triggered first. */
const maxAlerts = 50_000;

export interface Activity {
  bucket_ms: number;
  /** Without gaps, oldest first; `at` is the start of the bucket. */
  buckets: ({ at: string } & Record<Severity, number>)[];
  rules: NoisyRule[];
  /** There were more alerts than are counted; the oldest are missing. */
  capped: boolean;
}

const noisyRuleRow = {
  uid: text,
  name: text,
  alerts: int4,
  devices: int4,
  /** Resolved as a false alarm. */
  false_alarms: int4,
  resolved: int4,
  worst: oneOf(severities),
};
type NoisyRule = Wire<typeof noisyRuleRow>;

/** Alerts by their time of trigger, and the rules that raised the most of them. */
export async function readActivity(
  ctx: Ctx,
  range: ActivityRange,
  { demo }: ShownRows,
  now = databaseNow(),
): Promise<Activity> {
  const { span, bucket } = spans[range];
  const end = Math.floor(now.getTime() / bucket) * bucket + bucket;
  const from = end - span;
  // Nothing but what `alerts_activity_idx` holds.
  const recent = Prisma.sql`
    select a.rule_id, a.device_id, a.severity_rank, a.status, a.resolution_reason, a.triggered_at from alerts a
    where a.organization_id = ${ctx.organizationId} and a.triggered_at >= ${new Date(from)}::timestamptz
      and a.triggered_at < ${new Date(end)}::timestamptz ${demoFilter("a", demo)}
    order by a.triggered_at desc limit ${maxAlerts + 1}`;
  const [counts, rules] = await Promise.all([
    sql(
      { at: int8, severity: oneOf(severities), count: int4 },
      Prisma.sql`
      select (floor(extract(epoch from triggered_at) * 1000 / ${bucket}::float8) * ${bucket}::float8)::bigint as at,
        ${severityOfRank(Prisma.sql`severity_rank`)} as severity, count(*)::int as count
      from (${recent}) recent group by at, severity_rank`,
    ),
    sql(
      noisyRuleRow,
      Prisma.sql`
      with by_device as (
        select rule_id, count(*) as alerts, count(*) filter (where resolution_reason = 'false_alarm') as false_alarms,
          count(*) filter (where status = 'resolved') as resolved, max(severity_rank) as worst
        from (${recent}) recent group by rule_id, device_id),
      noisy as (
        select rule_id, sum(alerts)::int as alerts, count(*)::int as devices, sum(false_alarms)::int as false_alarms,
          sum(resolved)::int as resolved, max(worst) as worst
        from by_device group by rule_id order by 2 desc, rule_id limit 6)
      select n.rule_id as uid, coalesce(r.name, a.rule_name) as name, n.alerts, n.devices, n.false_alarms, n.resolved,
        ${severityOfRank(Prisma.sql`n.worst`)} as worst
      from noisy n left join rules r on r.uid = n.rule_id and r.organization_id = ${ctx.organizationId}
      cross join lateral (select x.rule_name from alerts x
        where x.rule_id = n.rule_id and x.organization_id = ${ctx.organizationId} limit 1) a
      order by n.alerts desc, n.rule_id`,
    ),
  ]);
  const buckets = new Map<number, Activity["buckets"][number]>();
  for (let at = from; at < end; at += bucket)
    buckets.set(at, { at: new Date(at).toISOString(), ...toCounts(severities) });
  for (const { at, severity, count } of counts) {
    const known = buckets.get(Number(at));
    if (known) known[severity] = count;
  }
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  return { bucket_ms: bucket, buckets: [...buckets.values()], rules, capped: total > maxAlerts };
}
