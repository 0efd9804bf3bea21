import { z } from "zod";
import { hasPart, noteLate } from "@/server/features/health/points-queries";
import type { PointRow } from "@/server/features/health/points-service";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, type OnDb, query } from "@/server/platform/db";
import { metrics } from "@/server/platform/metrics";
import { int4, json, jsonb, notNull, nullable, timestamptz } from "@/server/platform/rows";

/** A heartbeat's metrics as rows, at its time. */
export interface Point extends PointRow {
  at: Date;
}

/** Points of a device, in order of time and one for each. */
export interface LatePoints {
  /** The number of the device. */
  device: number;
  points: readonly Point[];
}

const keptRow = {
  device: int4,
  /** Without those whose day has no part. */
  added: int4,
  lost: int4,
  /** The times of those that were added, in milliseconds, of devices with states. */
  times: nullable(json(z.array(z.number()))),
};

/**
 * Writes points that may lie between those that are there, inside a transaction that has the rows of their devices
 * locked. Returns how many are new, by device.
 */
export async function writeLatePoints(tx: OnDb, late: readonly LatePoints[]): Promise<Map<number, number>> {
  const rows = late.flatMap(({ device, points }) =>
    points.map(({ at, list, values }) => ({ device, at, list, values })),
  );
  const stated = late.filter(({ points }) => points.some(({ states }) => states.length > 0));
  const milliseconds = Prisma.sql`(extract(epoch from at) * 1000)::int8`;
  const kept = await query(
    tx,
    keptRow,
    Prisma.sql`with given as materialized (
      select p.*, ${hasPart(Prisma.sql`p.at`)} as has_part
      from json_to_recordset(${JSON.stringify(rows)}::json) as p(device int, at timestamptz, list int, "values" float8[])
    ), pointed as (
      insert into metric_points (device, at, list, "values")
      select device, at, list, "values" from given where has_part
      on conflict do nothing returning device, at
    ), late as (${noteLate(Prisma.sql`pointed`)}), kept as (
      select device, at, false as lost from pointed union all select device, at, true from given where not has_part
    )
    select device, (count(*) filter (where not lost))::int as added, (count(*) filter (where lost))::int as lost,
      case when device = any(${stated.map(({ device }) => device)}::int[])
        then json_agg(${milliseconds}) filter (where not lost) end as times
    from kept group by device`,
  );
  const lost = kept.reduce((sum, row) => sum + row.lost, 0);
  if (lost > 0) metrics.lostPoints.inc(lost);
  const addedTo = new Map(kept.map(({ device, times }) => [device, new Set(times)]));
  const changing = stated.map(({ device, points }) => ({
    device,
    points: points.filter(({ at }) => addedTo.get(device)?.has(at.getTime())),
  }));
  await writeLateStates(tx, changing);
  return new Map(kept.map((row) => [row.device, row.added + row.lost]));
}

type StateValue = string | boolean;
interface Change {
  device: number;
  name: number;
  at: Date;
  value: StateValue;
}
const changeRow = {
  device: int4,
  name: int4,
  at: notNull(timestamptz),
  value: jsonb(z.union([z.string(), z.boolean()])),
};

/** Writes where a text or boolean changes in these points, and where it changes back with the one that follows them. */
async function writeLateStates(tx: OnDb, late: readonly LatePoints[]): Promise<void> {
  const spans = late.flatMap(({ device, points }) => {
    const names = [...new Set(points.flatMap(({ states }) => states.map(({ name }) => name)))];
    const [first, last] = [points[0], points.at(-1)];
    return first && last ? names.map((name) => ({ device, name, first: first.at, last: last.at })) : [];
  });
  if (spans.length === 0) return;
  const given = Prisma.sql`json_to_recordset(${JSON.stringify(spans)}::json)
    as s(device int, name int, first timestamptz, last timestamptz)`;
  const known = await query(
    tx,
    changeRow,
    Prisma.sql`select s.device, s.name, c.at, c.value from ${given} cross join lateral (
        (select at, value from metric_changes
          where device = s.device and name = s.name and at < s.first order by at desc limit 1)
        union all select at, value from metric_changes
          where device = s.device and name = s.name and at between s.first and s.last) c
      order by c.at`,
  );
  const next = await query(
    tx,
    { device: int4, at: nullable(timestamptz) },
    Prisma.sql`select s.device, (select min(at) from metric_points where device = s.device and at > s.last) as at
      from (select distinct device, last from ${given}) s`,
  );
  const nextByDevice = new Map(next.map(({ device, at }) => [device, at]));
  const byMetric = new Map<string, Change[]>();
  for (const change of known) {
    const key = `${change.device} ${change.name}`;
    byMetric.set(key, [...(byMetric.get(key) ?? []), change]);
  }
  const pointsByDevice = new Map(late.map(({ device, points }) => [device, points]));
  const changes = spans.flatMap(({ device, name }) =>
    findChanges(
      { device, name },
      pointsByDevice.get(device) ?? [],
      byMetric.get(`${device} ${name}`) ?? [],
      nextByDevice.get(device) ?? null,
    ),
  );
  await execute(
    tx,
    Prisma.sql`insert into metric_changes (device, name, at, value)
      select c.device, c.name, c.at, c.value
      from json_to_recordset(${JSON.stringify(changes)}::json) as c(device int, name int, at timestamptz, value jsonb)
      on conflict do nothing`,
  );
}

/** The changes of a metric by points; `known` are those before and between them, `next` is when the point after them is. */
function findChanges(
  metric: Pick<Change, "device" | "name">,
  points: readonly Point[],
  known: readonly Change[],
  next: Date | null,
): Change[] {
  const changes: Change[] = [];
  let before = 0;
  /** As it was before these points, and with them. */
  let [old, current]: [StateValue | undefined, StateValue | undefined] = [undefined, undefined];
  const pass = (until: Date) => {
    for (let change = known[before]; change && change.at <= until; change = known[++before])
      old = current = change.value;
  };
  let last: Date | undefined;
  for (const { at, states } of points) {
    const state = states.find((each) => each.name === metric.name);
    if (!state) continue;
    pass(at);
    last = at;
    if (state.value === current) continue;
    changes.push({ ...metric, at, value: state.value });
    current = state.value;
  }
  if (last && next && old !== undefined && current !== old) changes.push({ ...metric, at: next, value: old });
  return changes;
}
