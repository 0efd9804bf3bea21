import {
  formatMetric,
  judge,
  type Judgement,
  type MetricBounds,
  type MetricKind,
  type MetricValue,
} from "@/domain/health/meanings";
import { severities, type Severity } from "@/domain/severity";
import { activeSilences } from "@/server/features/silences/match-queries";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { int4, notNull, nullable, text, timestamptz } from "@/server/platform/rows";
import type { MetricSeries } from "@/server/read-models/health/resource";
import { readDeviceMetrics, readDeviceSeries, type DeviceMetric } from "@/server/read-models/health/series";
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
  bounds: MetricBounds;
  /** Numbers of the last 24 hours, of those that are shown first. */
  points: NonNullable<MetricSeries["points"]> | null;
  /** Since when a text or boolean is what it is, of those that are shown first. */
  changed_at: string | null;
}

/** How a device is now. */
export interface DeviceNow {
  /** In the order in which they are shown; empty for a device that sends none. */
  metrics: MetricNow[];
  /** When the last 24 hours began, in quarters of which points are. */
  since: string;
  /** At most 100, without silenced and snoozed ones. */
  open_alerts: number;
  /** The same by severity. */
  open: Record<Severity, number>;
  last_recording: { uid: string; name: string; started_at: string | null } | null;
  /** The style of the map that the operator set up, for its place. */
  style_url: string | null;
}

const restRow = {
  ...{ info: notNull(int4), warning: notNull(int4), error: notNull(int4), critical: notNull(int4) },
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
  const until = databaseNow();
  const since = new Date(until.getTime() - 86_400_000);
  const [series, changes, rest] = await Promise.all([
    names.length > 0 ? readDeviceSeries(ctx, deviceUid, { names, since, until, points: drawn.points }) : null,
    readLastChanges(ctx, deviceUid, metrics.filter(isState).slice(0, drawn.metrics)),
    readRest(ctx, deviceUid),
  ]);
  const points = new Map(series?.names.map((each) => [each.name, each.points ?? null]));
  return {
    metrics: metrics.map((metric) => ({
      ...{ name: metric.name, label: metric.label, unit: metric.unit, kind: metric.kind, value: metric.value },
      text: metric.value === null ? null : formatMetric(metric.value, metric),
      bounds: metric.bounds,
      judgement: metric.value === null ? "unknown" : judge(metric.value, metric),
      points: points.get(metric.name) ?? null,
      changed_at: changes.get(metric.id)?.toISOString() ?? null,
    })),
    since: since.toISOString(),
    style_url: env.MAP_STYLE_URL ?? null,
    ...rest,
  };
}

const isState = ({ value }: DeviceMetric): boolean => typeof value === "string" || typeof value === "boolean";

/** When texts and booleans last changed, by the number of their name. */
async function readLastChanges(
  ctx: Ctx,
  deviceUid: string,
  states: readonly DeviceMetric[],
): Promise<Map<number, Date>> {
  if (states.length === 0) return new Map();
  const rows = await query(
    ctx,
    { name: int4, at: notNull(timestamptz) },
    Prisma.sql`select w.id as name, c.at from devices d cross join unnest(${states.map(({ id }) => id)}::int[]) as w(id)
      cross join lateral (select m.at from metric_changes m where m.device = d.number and m.name = w.id
        order by m.at desc limit 1) c
      where d.uid = ${deviceUid} and d.organization_id = ${ctx.organizationId}`,
  );
  return new Map(rows.map(({ name, at }) => [name, at]));
}

const countedSeverities = Prisma.join(
  severities.map((each) => Prisma.sql`count(*) filter (where severity = ${each})::int as ${Prisma.raw(each)}`),
);

async function readRest(ctx: Ctx, deviceUid: string): Promise<Omit<DeviceNow, "metrics" | "since" | "style_url">> {
  const silences = await activeSilences(ctx);
  const [row] = await query(
    ctx,
    restRow,
    Prisma.sql`select o.*, r.uid, r.name, r.started_at
      from (select ${countedSeverities} from (
        select a.severity from alerts a where a.device_id = ${deviceUid} and a.status = 'open'
          and a.organization_id = ${ctx.organizationId} ${tabPredicate("open", silences)} limit ${alertCeiling}) open) o
        left join lateral (select uid, name, started_at from recordings
          where device_id = ${deviceUid} and organization_id = ${ctx.organizationId} and started_at is not null
          order by started_at desc, uid desc limit 1) r on true`,
  );
  const last = row?.uid
    ? { uid: row.uid, name: row.name ?? "", started_at: row.started_at?.toISOString() ?? null }
    : null;
  const open = {
    info: row?.info ?? 0,
    warning: row?.warning ?? 0,
    error: row?.error ?? 0,
    critical: row?.critical ?? 0,
  };
  const total = severities.reduce((sum, severity) => sum + open[severity], 0);
  return { open_alerts: total, open, last_recording: last };
}
