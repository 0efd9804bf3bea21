import { afterAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { removeParts } from "@/server/features/health/part-retention-service";
import { listParts, makeParts } from "@/server/features/health/parts-service";
import { pool, prisma } from "@/server/platform/db";
import { operatorKinds, type OperatorRetention } from "@/server/platform/operator-retention";
import { int4, jsonb, queryRows, timestamptz } from "@/server/platform/rows";
import { makeDevice, makeOrganization } from "@/server/testing/factories";

const dayMs = 86_400_000;
const device = 2_000_000_002;
const { signal } = new AbortController();
const suffix = (days: number, length = 8) =>
  new Date(Date.now() - days * dayMs).toISOString().replaceAll("-", "").slice(0, length);
const points = (days: number) => `metric_points_${suffix(days)}`;
const names = async () => (await listParts()).map(({ name }) => name);
const never = Object.fromEntries(operatorKinds.map((kind) => [kind, null])) as OperatorRetention;
const remove = (retention: Partial<OperatorRetention>) => removeParts({ signal }, { ...never, ...retention });

const add = (days: number) =>
  pool.query("insert into metric_points values ($1, now() - make_interval(days => $2), 1, '{1}')", [device, days]);
const count = async (days: number) =>
  (await queryRows(pool, { count: int4 }, `select count(*)::int as count from ${points(days)}`))[0]?.count;
const setProgress = (name: string, days: number) =>
  pool.query(
    "update metric_progress set at = date_trunc('day', now(), 'UTC') - make_interval(days => $2) where name = $1",
    [name, days],
  );
const readRaw = async () => {
  const rows = await queryRows(pool, { at: timestamptz }, "select at from metric_progress where name = 'raw'");
  return (rows[0]?.at ?? "").slice(0, 10).replaceAll("-", "");
};

const reset = async () => {
  await makeParts();
  await pool.query("truncate metric_points, metric_changes, metric_rollups_5m, metric_rollups_1h, metric_late");
  await setProgress("raw", 20);
  await setProgress("5m", 0);
  await setProgress("1h", 0);
};
beforeEach(reset);
afterAll(reset);

test("points are emptied after their days and their part is dropped after 8, so that a late point always has a part", async () => {
  await pool.query("select make_metric_parts(now() - interval '10 days', now() - interval '9 days')");
  for (const days of [10, 8, 5, 4, 3]) await add(days);
  const removed = await remove({ metrics_raw: 3 });
  expect(removed).toEqual({
    emptied: [10, 9, 8, 7, 6, 5, 4].map(points),
    dropped: [10, 9].map(points),
    later: [],
  });
  expect(await Promise.all([8, 5, 4, 3].map(count))).toEqual([0, 0, 0, 1]);
  expect(await names()).not.toContain(points(9));
  expect(await readRaw()).toBe(suffix(3));
  await add(7);
  expect(await remove({ metrics_raw: 3 })).toEqual({ emptied: [], dropped: [], later: [] });
  expect(await makeParts()).toBe(0);
});

test("points stay until their rollups are made, also those of late ones, and nothing later is emptied before them", async () => {
  for (const days of [7, 5, 4]) await add(days);
  await setProgress("5m", 5);
  expect(await remove({ metrics_raw: 3 })).toMatchObject({ emptied: [8, 7, 6].map(points), later: [points(5)] });
  expect([await count(5), await count(4), await readRaw()]).toEqual([1, 1, suffix(5)]);
  await setProgress("5m", 0);
  await pool.query("insert into metric_late (device, at) values ($1, now() - interval '5 days')", [device]);
  expect(await remove({ metrics_raw: 3 })).toMatchObject({ emptied: [], later: [points(5)] });
  await pool.query("truncate metric_late");
  expect(await remove({ metrics_raw: 3 })).toMatchObject({ emptied: [5, 4].map(points), later: [] });
});

test("parts of months are dropped when all of the month is over, rollups of five minutes once their hours are made", async () => {
  for (const month of ["01", "02", "03"]) {
    await pool.query("select make_metric_parts($1, $1)", [`2025-${month}-15`]);
    await pool.query(`drop table metric_points_2025${month}15`);
  }
  const months = (table: string) => ["202501", "202502", "202503"].map((month) => `${table}_${month}`);
  const old = async () => (await names()).filter((name) => /_20250[123]$/.test(name));
  const days = Math.floor((Date.now() - Date.parse("2025-02-10")) / dayMs);
  await setProgress("1h", days + 20);
  const [fine, hours, changes] = [months("metric_rollups_5m"), months("metric_rollups_1h"), months("metric_changes")];
  expect((await remove({ metrics_5m: 30 })).later).toEqual(fine);
  expect(await old()).toEqual([changes, hours, fine].flat().sort());
  await setProgress("1h", 0);
  expect((await remove({ metrics_1h: days })).dropped).toEqual([changes[0], hours[0]]);
  expect((await remove({ metrics_5m: 30 })).dropped).toEqual(expect.arrayContaining(fine));
  expect(await old()).toEqual([...changes.slice(1), ...hours.slice(1)].sort());
  await remove({ metrics_1h: 30 });
  expect(await old()).toEqual([]);
});

test("texts and booleans that still hold when their part goes are known afterwards, and those of deleted devices are not", async () => {
  for (const month of ["01", "02", "03"]) {
    await pool.query("select make_metric_parts($1, $1)", [`2025-${month}-15`]);
    await pool.query(`drop table metric_points_2025${month}15`);
  }
  const { uid } = await makeDevice(await makeOrganization());
  const { number } = await prisma.device.findUniqueOrThrow({ where: { uid } });
  const rows: [number, number, string, string][] = [
    [number, 1, "2025-01-03T00:00:00.000Z", "auto"],
    [number, 1, "2025-01-20T00:00:00.000Z", "manual"],
    [number, 2, "2025-01-05T00:00:00.000Z", "hall 1"],
    [number, 2, "2025-02-07T00:00:00.000Z", "hall 2"],
    [device, 1, "2025-01-03T00:00:00.000Z", "auto"],
  ];
  for (const [of, name, at, value] of rows)
    await pool.query("insert into metric_changes values ($1, $2, $3, $4)", [of, name, at, JSON.stringify(value)]);
  const read = () =>
    queryRows(
      pool,
      { device: int4, name: int4, at: timestamptz, value: jsonb(z.string()) },
      "select device, name, at, value from metric_changes where device = any($1) order by name, at",
      [[number, device]],
    );
  const days = (until: string) => Math.floor((Date.now() - Date.parse(until)) / dayMs);
  await remove({ metrics_1h: days("2025-02-10") });
  expect(await read()).toEqual([
    { device: number, name: 1, at: "2025-02-01T00:00:00.000Z", value: "manual" },
    { device: number, name: 2, at: "2025-02-01T00:00:00.000Z", value: "hall 1" },
    { device: number, name: 2, at: "2025-02-07T00:00:00.000Z", value: "hall 2" },
  ]);
  // Over several parts at once, and over months without a part.
  await remove({ metrics_1h: 30 });
  expect((await read()).map(({ name, value }) => [name, value])).toEqual([
    [1, "manual"],
    [2, "hall 2"],
  ]);
  await remove({ metrics_5m: 30 });
});

test("a part that somebody uses is left to the next run, and who writes meanwhile does not wait for it", async () => {
  await pool.query("select make_metric_parts(now() - interval '10 days', now() - interval '10 days')");
  const holder = await pool.connect();
  const writer = await pool.connect();
  try {
    // A backup copies the table.
    await holder.query("begin; select count(*) from metric_points");
    await writer.query("set lock_timeout = '5s'");
    const removing = remove({ metrics_raw: 3 });
    for (let n = 0; n < 20; n++) {
      await writer.query("insert into metric_points values ($1, clock_timestamp(), 1, '{1}') on conflict do nothing", [
        device,
      ]);
    }
    const { emptied, dropped, later } = await removing;
    expect({ emptied, dropped, later }).toEqual({ emptied: [], dropped: [], later: [points(10)] });
    await holder.query("rollback");
    expect((await remove({ metrics_raw: 3 })).dropped).toEqual([points(10)]);
  } finally {
    await holder.query("rollback");
    await writer.query("reset lock_timeout");
    holder.release();
    writer.release();
  }
});

test("nothing is removed of what is kept for ever", async () => {
  await add(8);
  expect(await remove({})).toEqual({ emptied: [], dropped: [], later: [] });
  expect(await count(8)).toBe(1);
});
