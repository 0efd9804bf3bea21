import { z } from "zod";
import { hasPart, noteLate } from "@/server/features/health/points-queries";
import type { PointRow } from "@/server/features/health/points-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query } from "@/server/platform/db";
import { metrics } from "@/server/platform/metrics";
import { bool, int4, jsonb, notNull, nullable, timestamptz } from "@/server/platform/rows";

/** A heartbeat's metrics as rows, at its time. */
export interface Point extends PointRow {
  at: Date;
}

const keptRow = { at: notNull(timestamptz), lost: notNull(bool) };

/**
 * Writes points of one device, in order of time and one for each, that may lie between those that are there, inside a transaction that has
 * its row locked. Returns how many are new.
 */
export async function writeLatePoints(tx: Ctx, device: number, points: readonly Point[]): Promise<number> {
  const rows = points.map(({ at, list, values }) => ({ at, list, values }));
  const given = Prisma.sql`json_to_recordset(${JSON.stringify(rows)}::json) as p(at timestamptz, list int, "values" float8[])`;
  const kept = await query(
    tx,
    keptRow,
    Prisma.sql`with given as materialized (
      select p.*, ${hasPart(Prisma.sql`p.at`)} as has_part from ${given}
    ), pointed as (
      insert into metric_points (device, at, list, "values")
      select ${device}::int, at, list, "values" from given where has_part
      on conflict do nothing returning device, at
    ), late as (${noteLate(Prisma.sql`pointed`)})
    select at, false as lost from pointed union all select at, true from given where not has_part`,
  );
  const lost = kept.filter((row) => row.lost).length;
  if (lost > 0) metrics.lostPoints.inc(lost);
  const added = new Set(kept.filter((row) => !row.lost).map(({ at }) => at.getTime()));
  await writeLateStates(
    tx,
    device,
    points.filter(({ at }) => added.has(at.getTime())),
  );
  return kept.length;
}

const stateRow = { name: int4, at: notNull(timestamptz), value: jsonb(z.union([z.string(), z.boolean()])) };
type StateValue = string | boolean;
interface Change {
  name: number;
  at: Date;
  value: StateValue;
}

/** Writes where a text or boolean changes in these points, and where it changes back with the one that follows them. */
async function writeLateStates(tx: Ctx, device: number, points: readonly Point[]): Promise<void> {
  const names = [...new Set(points.flatMap(({ states }) => states.map(({ name }) => name)))];
  const [first, last] = [points[0], points.at(-1)];
  if (names.length === 0 || !first || !last) return;
  const known = await query(
    tx,
    stateRow,
    Prisma.sql`select n.name, c.at, c.value from unnest(${names}::int[]) as n(name) join lateral (
        select at, value from metric_changes
        where device = ${device}::int and name = n.name and at < ${first.at}::timestamptz order by at desc limit 1) c on true
      union all select name, at, value from metric_changes
      where device = ${device}::int and name = any(${names}::int[])
        and at between ${first.at}::timestamptz and ${last.at}::timestamptz
      order by at`,
  );
  const next = await findNext(tx, device, last.at);
  const changes: Change[] = [];
  for (const name of names) {
    const before = known.filter((change) => change.name === name);
    changes.push(...findChanges(name, points, before, next));
  }
  await execute(
    tx,
    Prisma.sql`insert into metric_changes (device, name, at, value)
      select ${device}::int, c.name, c.at, c.value
      from json_to_recordset(${JSON.stringify(changes)}::json) as c(name int, at timestamptz, value jsonb)
      on conflict do nothing`,
  );
}

/** When the heartbeat after `at` was, if one is kept. */
async function findNext(tx: Ctx, device: number, at: Date): Promise<Date | null> {
  const [row] = await query(
    tx,
    { at: nullable(timestamptz) },
    Prisma.sql`select min(at) as at from metric_points where device = ${device}::int and at > ${at}::timestamptz`,
  );
  return row?.at ?? null;
}

function findChanges(name: number, points: readonly Point[], known: readonly Change[], next: Date | null): Change[] {
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
    const state = states.find((each) => each.name === name);
    if (!state) continue;
    pass(at);
    last = at;
    if (state.value === current) continue;
    changes.push({ name, at, value: state.value });
    current = state.value;
  }
  if (last && next && old !== undefined && current !== old) changes.push({ name, at: next, value: old });
  return changes;
}
