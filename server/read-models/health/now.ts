import { formatMetric, judge, type Judgement, type MetricKind, type MetricValue } from "@/domain/health/meanings";
import { activeSilences } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { int4, nullable, text, timestamptz } from "@/server/platform/rows";
import type { MetricSeries } from "@/server/read-models/health/resource";
import { readDeviceMetrics, readDeviceSeries } from "@/server/read-models/health/series";
import { tabPredicate } from "@/server/read-models/inbox/inbox";

/** How many metrics have their last day drawn, and in how many points. */
const drawn = { metrics: 6, points: 96 } as const;
/** Open alerts are counted up to here. */
const alertCeiling = 100;

/** A metric as the last heartbeat had it; null where that had none. */
interface MetricNow {
  name: string;
  label: string;
  unit: string;
  kind: MetricKind;
  value: MetricValue | null;
  /** The value for people: `35 %`. */
  text: string | null;
  judgement: Judgement;
  /** Numbers of the last 24 hours, of those that are shown first. */
  points: NonNullable<MetricSeries["points"]> | null;
}

/** How a device is now. */
export interface DeviceNow {
  /** In the order in which they are shown; empty for a device that sends none. */
  metrics: MetricNow[];
  /** At most 100, without silenced and snoozed ones. */
  open_alerts: number;
  last_recording: { uid: string; name: string; started_at: string | null } | null;
}

const restRow = {
  open_alerts: int4,
  uid: nullable(text),
  name: nullable(text),
  started_at: nullable(timestamptz),
};

/** What a device says of itself now, what is open, and its last recording. Throws `not_found`. */
export async function readDeviceNow(ctx: Ctx, deviceUid: string): Promise<DeviceNow> {
  const metrics = await readDeviceMetrics(ctx, deviceUid);
  const names = metrics
    .filter(({ value, kind }) => kind !== "state" && (typeof value === "number" || value === null))
    .slice(0, drawn.metrics)
    .map(({ name }) => name);
  const [series, rest] = await Promise.all([
    names.length > 0 ? readDeviceSeries(ctx, deviceUid, { names, points: drawn.points }) : null,
    readRest(ctx, deviceUid),
  ]);
  const points = new Map(series?.names.map((each) => [each.name, each.points ?? null]));
  return {
    metrics: metrics.map((metric) => ({
      ...{ name: metric.name, label: metric.label, unit: metric.unit, kind: metric.kind, value: metric.value },
      text: metric.value === null ? null : formatMetric(metric.value, metric),
      judgement: metric.value === null ? "unknown" : judge(metric.value, metric),
      points: points.get(metric.name) ?? null,
    })),
    ...rest,
  };
}

async function readRest(ctx: Ctx, deviceUid: string): Promise<Omit<DeviceNow, "metrics">> {
  const silences = await activeSilences(ctx);
  const [row] = await query(
    ctx,
    restRow,
    Prisma.sql`select o.open_alerts, r.uid, r.name, r.started_at
      from (select count(*)::int as open_alerts from (
        select from alerts a where a.device_id = ${deviceUid} and a.status = 'open'
          and a.organization_id = ${ctx.organizationId} ${tabPredicate("open", silences)} limit ${alertCeiling}) open) o
        left join lateral (select uid, name, started_at from recordings
          where device_id = ${deviceUid} and organization_id = ${ctx.organizationId} and started_at is not null
          order by started_at desc, uid desc limit 1) r on true`,
  );
  const last = row?.uid
    ? { uid: row.uid, name: row.name ?? "", started_at: row.started_at?.toISOString() ?? null }
    : null;
  return { open_alerts: row?.open_alerts ?? 0, last_recording: last };
}
