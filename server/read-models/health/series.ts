import { z } from "zod";
import { flattenMetrics } from "@/domain/health/flatten";
import { resolveMeaning, type MetricValue, type ResolvedMeaning } from "@/domain/health/meanings";
import { maxSeriesNames, type DeviceMetricsQuery } from "@/domain/health/schema";
import { readMeanings } from "@/server/features/health/meaning-service";
import { meanOfMeans } from "@/server/features/health/rollup-queries";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { float8, int4, json, jsonb, jsonbObject, notNull, text, timestamptz } from "@/server/platform/rows";
import { chooseSources, toBins, type Bins, type Sources } from "@/server/read-models/health/resolution";
import type { DeviceMetrics, MetricSeries } from "@/server/read-models/health/resource";

const deviceRow = {
  type: text,
  metrics: jsonbObject,
  names: json(z.array(z.object({ id: z.number(), name: z.string() }))),
};

/** A metric that a device has sent: what it means for its type, and the value of its last heartbeat. */
export interface DeviceMetric extends ResolvedMeaning {
  id: number;
  name: string;
  value: MetricValue | null;
}

/** The metrics of a device, in the order in which they are shown. Throws `not_found`. */
export async function readDeviceMetrics(ctx: Ctx, deviceUid: string): Promise<DeviceMetric[]> {
  const [device] = await query(
    ctx,
    deviceRow,
    Prisma.sql`select d.type, d.metrics, coalesce((select json_agg(json_build_object('id', n.id, 'name', n.name))
        from metric_lists l join metric_names n on n.id = any(l.names) and n.organization_id = d.organization_id
        where l.id = d.metric_list), '[]'::json) as names
      from devices d where d.uid = ${deviceUid} and d.organization_id = ${ctx.organizationId}`,
  );
  if (!device) throw notFound();
  const { numbers, states } = flattenMetrics(device.metrics);
  const meanings = await readMeanings(
    ctx,
    device.names.map(({ name }) => name),
  );
  return device.names
    .map(({ id, name }) => {
      const value = numbers.get(name) ?? states.get(name)?.value ?? null;
      return { id, name, value, ...resolveMeaning(name, meanings.get(name) ?? [], device.type, value) };
    })
    .sort((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : 1));
}

/**
 * Metrics of a device over time, in at most as many points each as are asked for: those named, else those that are shown
 * first. Names that it has not sent are left out, and all of them for a range without time. Throws `not_found`.
 */
export async function readDeviceSeries(
  ctx: Ctx,
  deviceUid: string,
  { names, since: from, until: to, points }: DeviceMetricsQuery,
): Promise<DeviceMetrics> {
  const now = databaseNow();
  const until = to ?? now;
  const since = from ?? new Date(until.getTime() - 86_400_000);
  const range = { since: since.toISOString(), until: until.toISOString() };
  const all = await readDeviceMetrics(ctx, deviceUid);
  const wanted = names ? all.filter(({ name }) => names.includes(name)) : all.slice(0, maxSeriesNames);
  if (since >= until) return { ...range, names: [] };
  const bins = toBins(since, until, points);
  const sources = await chooseSources(ctx, bins, now);
  const ids = wanted.map(({ id }) => id);
  const [numbers, states] = await Promise.all([
    readNumbers(ctx, deviceUid, ids, bins, sources),
    readChanges(ctx, deviceUid, ids, bins),
  ]);
  return {
    ...range,
    names: wanted.map(({ id, name, label, unit, kind }): MetricSeries => {
      const [pointsOf, changes] = [numbers.get(id), states.get(id)];
      const isState = changes !== undefined || (kind === "state" && !pointsOf);
      return {
        ...{ name, label, unit, kind, resolution: pointsOf || !isState ? sources.resolution : "raw" },
        ...((pointsOf || !isState) && { points: pointsOf ?? [] }),
        ...(isState && { changes: changes ?? [] }),
      };
    }),
  };
}

const finite = (value: Prisma.Sql) =>
  Prisma.sql`case when ${value} > '-Infinity'::float8 and ${value} < 'Infinity'::float8 then ${value} end`;

/** The statement behind the numbers of a series; the parts and rows of one device are read. */
export function seriesStatement(
  organizationId: string,
  deviceUid: string,
  names: readonly number[],
  { since, until, widthMs }: Bins,
  { hoursUntil, fineUntil }: Sources,
): Prisma.Sql {
  const ids = Prisma.sql`${[...names]}::int[]`;
  const places = Prisma.sql`(select l.id as list, w.id, array_position(l.names, w.id) as position
    from metric_lists l cross join unnest(${ids}) as w(id)
    where l.organization_id = ${organizationId} and w.id = any(l.names))`;
  const rollups = (table: "metric_rollups_1h" | "metric_rollups_5m", from: Date, to: Date) => Prisma.sql`
    select s.id, p.at, p.minimum[s.position] as minimum, p.mean[s.position] as mean, p.maximum[s.position] as maximum,
      p.counts[s.position] as counts
    from device d join ${Prisma.raw(table)} p on p.device = d.number join places s on s.list = p.list
    where p.at >= ${from}::timestamptz and p.at < ${to}::timestamptz`;
  const later = (a: Date, b: Date) => (a > b ? a : b);
  const earlier = (a: Date, b: Date) => (a < b ? a : b);
  const hoursEnd = earlier(later(hoursUntil, since), until);
  const fineEnd = earlier(later(fineUntil, hoursEnd), until);
  return Prisma.sql`with device as materialized (
      select number from devices where uid = ${deviceUid} and organization_id = ${organizationId}
    ), places as materialized ${places}, cells as (
      ${rollups("metric_rollups_1h", since, hoursEnd)}
      union all ${rollups("metric_rollups_5m", hoursEnd, fineEnd)}
      union all select s.id, p.at, v.value, v.value, v.value, 1
      from device d join metric_points p on p.device = d.number join places s on s.list = p.list
        cross join lateral (select ${finite(Prisma.sql`p."values"[s.position]`)} as value) v
      where p.at >= ${fineEnd}::timestamptz and p.at < ${until}::timestamptz
    )
    select c.id as name, min(c.at) as at, min(c.minimum) as minimum,
      ${meanOfMeans(Prisma.sql`c.mean`, Prisma.sql`c.counts`)} as mean, max(c.maximum) as maximum
    from cells c where c.minimum is not null
    group by c.id, date_bin(${widthMs}::float8 * interval '1 millisecond', c.at, ${since}::timestamptz)
    order by 2`;
}

const numberRow = {
  name: notNull(int4),
  at: notNull(timestamptz),
  minimum: notNull(float8),
  mean: notNull(float8),
  maximum: notNull(float8),
};

type Points = NonNullable<MetricSeries["points"]>;

async function readNumbers(
  ctx: Ctx,
  deviceUid: string,
  names: readonly number[],
  bins: Bins,
  sources: Sources,
): Promise<Map<number, Points>> {
  const statement = seriesStatement(ctx.organizationId, deviceUid, names, bins, sources);
  const series = new Map<number, Points>();
  for (const { name, at, minimum, mean, maximum } of await query(ctx, numberRow, statement)) {
    const points = series.get(name) ?? [];
    points.push([at.toISOString(), minimum, mean, maximum]);
    series.set(name, points);
  }
  return series;
}

const changeRow = { name: int4, at: notNull(timestamptz), value: jsonb(z.union([z.string(), z.boolean()])) };

type Changes = NonNullable<MetricSeries["changes"]>;

/** The state in force at the begin, and the changes since then: the last one of each bin. */
async function readChanges(
  ctx: Ctx,
  deviceUid: string,
  names: readonly number[],
  { since, until, widthMs }: Bins,
): Promise<Map<number, Changes>> {
  const rows = await query(
    ctx,
    changeRow,
    Prisma.sql`with device as materialized (
        select number from devices where uid = ${deviceUid} and organization_id = ${ctx.organizationId}
      ), binned as (
        select m.name, m.at, m.value,
          date_bin(${widthMs}::float8 * interval '1 millisecond', m.at, ${since}::timestamptz) as bin
        from device d join metric_changes m on m.device = d.number
        where m.name = any(${[...names]}::int[]) and m.at >= ${since}::timestamptz and m.at < ${until}::timestamptz
      )
      select * from (
        select w.id as name, c.at, c.value from device d cross join unnest(${[...names]}::int[]) as w(id)
          cross join lateral (select m.at, m.value from metric_changes m where m.device = d.number and m.name = w.id
            and m.at < ${since}::timestamptz order by m.at desc limit 1) c
        union all
        select * from (select distinct on (b.name, b.bin) b.name, b.at, b.value from binned b
          order by b.name, b.bin, b.at desc) last_of_bins
      ) c order by c.at`,
  );
  const changes = new Map<number, Changes>();
  for (const { name, at, value } of rows) {
    const own = changes.get(name) ?? [];
    own.push([at.toISOString(), value]);
    changes.set(name, own);
  }
  return changes;
}
