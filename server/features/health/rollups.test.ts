import { once } from "node:events";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import {
  countSecondsBehind,
  fineRollups,
  observeRollups,
  rollUp,
  rollupSteps,
  type RolledUp,
} from "@/server/features/health/rollup-service";
import { pool, prisma } from "@/server/platform/db";
import { readMetrics } from "@/server/platform/metrics";
import { int4, jsonb, queryRows, text, timestamptz } from "@/server/platform/rows";
import { bundleProgram, startProgram } from "@/server/testing/child-program";
import { makeDevice, makeOrganization } from "@/server/testing/factories";
import { request } from "@/server/testing/requests";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const { signal } = new AbortController();

interface Point {
  device: number;
  at: number;
  list: number;
  values: (number | null)[];
}
interface Rollup {
  device: number;
  at: number;
  list: number;
  minimum: (number | null)[];
  mean: (number | null)[];
  maximum: (number | null)[];
  last: (number | null)[];
  counts: number[];
}

/** Numbers from 0 to 1 that are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const hostile = [Number.NaN, Infinity, -Infinity, null, 1.7e308, -1.7e308, 5e-324, 1e-310, 0, 1e200, Number.MAX_VALUE];

/** Points of devices at irregular times, of two lists, with lists that end early and numbers that sums cannot hold. */
function makePoints(devices: readonly number[], since: number, until: number, seed = 1): Point[] {
  const random = seeded(seed);
  return devices.flatMap((device) => {
    const points: Point[] = [];
    for (let at = since + Math.floor(random() * minuteMs); at < until; at += 1 + Math.floor(random() * 2 * minuteMs)) {
      const wild = random() < 0.02;
      const count = Math.floor(random() * 5);
      const value = () =>
        wild ? (hostile[Math.floor(random() * hostile.length)] ?? null) : random() < 0.1 ? null : random() * 200 - 100;
      points.push({ device, at, list: random() < 0.7 ? 1 : 2, values: Array.from({ length: count }, value) });
    }
    return points;
  });
}

const isNumber = (value: number | null | undefined): value is number =>
  value !== null && value !== undefined && Number.isFinite(value);

/** What the rollups of points must be, computed one by one. */
function computeRollups(points: readonly Point[], bucketMs: number, until: number): Rollup[] {
  const groups = new Map<string, Point[]>();
  for (const point of points) {
    const at = Math.floor(point.at / bucketMs) * bucketMs;
    if (at + bucketMs > until) continue;
    const key = `${point.device} ${at} ${point.list}`;
    groups.set(key, [...(groups.get(key) ?? []), point]);
  }
  const rollups = [...groups].map(([key, group]): Rollup => {
    const [device = 0, at = 0, list = 0] = key.split(" ").map(Number);
    const inOrder = group.toSorted((a, b) => a.at - b.at);
    const positions = Array.from({ length: Math.max(...group.map(({ values }) => values.length)) }, (_, n) => n);
    const columns = positions.map((n) => inOrder.map(({ values }) => values[n]).filter(isNumber));
    const scaled = (numbers: number[]) => numbers.reduce((sum, each) => sum + each / numbers.length, 0);
    return {
      device,
      at,
      list,
      minimum: columns.map((each) => (each.length > 0 ? Math.min(...each) : null)),
      mean: columns.map((each) => (each.length > 0 ? scaled(each) : null)),
      maximum: columns.map((each) => (each.length > 0 ? Math.max(...each) : null)),
      last: columns.map((each) => each.at(-1) ?? null),
      counts: columns.map((each) => each.length),
    };
  });
  return sortRollups(rollups.filter(({ counts }) => counts.some((count) => count > 0)));
}

const sortRollups = (rollups: Rollup[]): Rollup[] =>
  rollups.toSorted((a, b) => a.device - b.device || a.at - b.at || a.list - b.list);

const numbers = jsonb(z.array(z.number().nullable()));
async function readRollups(table: string, devices: readonly number[]): Promise<Rollup[]> {
  const rows = await queryRows(
    pool,
    {
      device: int4,
      at: timestamptz,
      list: int4,
      minimum: numbers,
      mean: numbers,
      maximum: numbers,
      last: numbers,
      counts: jsonb(z.array(z.number())),
    },
    `select device, at, list, to_jsonb(minimum) as minimum, to_jsonb(mean) as mean, to_jsonb(maximum) as maximum,
      to_jsonb(last) as last, to_jsonb(counts) as counts from ${table} where device = any($1)`,
    [devices],
  );
  return sortRollups(rows.map((row) => ({ ...row, at: Date.parse(row.at) })));
}

/** Means agree to 12 digits, all else exactly. */
function expectRollups(found: Rollup[], expected: Rollup[]): void {
  const exact = (rollups: Rollup[]) => rollups.map(({ mean: _mean, ...rest }) => rest);
  expect(exact(found)).toEqual(exact(expected));
  for (const [index, { mean, minimum, maximum }] of expected.entries()) {
    for (const [position, value] of mean.entries()) {
      const other = found[index]?.mean[position] ?? null;
      if (value === null || other === null) expect(other).toBe(value);
      else {
        // Numbers below 1e-290 count as 0.
        const size = Math.max(Math.abs(minimum[position] ?? 0), Math.abs(maximum[position] ?? 0), 1e-270);
        // Numbers beyond 1.7e308 count as that.
        const allowed = size > 1.7e308 ? 0.06 : 1e-12;
        expect(Math.abs(other / size - value / size) || 0).toBeLessThan(allowed);
      }
    }
  }
}

async function write(points: readonly Point[]): Promise<void> {
  await pool.query(
    `insert into metric_points (device, at, list, "values")
     select device, to_timestamp(at / 1000.0), list, (select array_agg(nullif(v, 'null')::float8 order by n)
       from jsonb_array_elements_text("values") with ordinality as e(v, n))
     from jsonb_to_recordset($1::jsonb) as p(device int, at float8, list int, "values" jsonb)
     on conflict do nothing`,
    [
      JSON.stringify(
        points.map((point) => ({
          ...point,
          values: point.values.map((value) => (isNumber(value) ? value : String(value))),
        })),
      ),
    ],
  );
}

const mark = (points: readonly Point[]) =>
  pool.query(
    `insert into metric_late (device, at)
     select m.device, date_bin('5 minutes', to_timestamp(m.at / 1000.0), '2000-01-01Z')
     from unnest($1::int[], $2::float8[]) as m(device, at)`,
    [points.map(({ device }) => device), points.map(({ at }) => at)],
  );

const setProgress = (values: Record<string, number>) =>
  Promise.all(
    Object.entries(values).map(([name, at]) =>
      pool.query("update metric_progress set at = to_timestamp($2 / 1000.0) where name = $1", [name, at]),
    ),
  );
async function readProgress(): Promise<Record<string, number>> {
  const rows = await queryRows(pool, { name: text, at: timestamptz }, "select name, at from metric_progress");
  return Object.fromEntries(rows.map(({ name, at }) => [name, Date.parse(at)]));
}

let devices: number[];
let since: number;
const steps = { ...rollupSteps };

async function makeDevices(count: number): Promise<number[]> {
  const own = await makeOrganization();
  const made = await Promise.all(Array.from({ length: count }, () => makeDevice(own)));
  const uids = made.map(({ uid }) => uid);
  await prisma.device.updateMany({ where: { uid: { in: uids } }, data: { metricList: 1 } });
  return (await prisma.device.findMany({ where: { uid: { in: uids } }, select: { number: true } })).map(
    ({ number }) => number,
  );
}

beforeAll(() => pool.query("select make_metric_parts(now() - interval '8 days', now() + interval '14 days')"));
beforeEach(async () => {
  Object.assign(rollupSteps, steps);
  devices = await makeDevices(3);
  since = Math.floor(Date.now() / hourMs) * hourMs - 5 * hourMs;
  await pool.query("delete from metric_late");
  await setProgress({ "5m": since, "1h": since, raw: since - 40 * 24 * hourMs });
});

/** Compares all rollups with those of the points. Returns until when they are made. */
async function expectAll(points: readonly Point[]): Promise<Record<string, number>> {
  const progress = await readProgress();
  const fine = computeRollups(points, 5 * minuteMs, progress["5m"] ?? 0);
  expectRollups(await readRollups("metric_rollups_5m", devices), fine);
  expectRollups(await readRollups("metric_rollups_1h", devices), computeRollups(points, hourMs, progress["1h"] ?? 0));
  expect(fine.length).toBeGreaterThan(50);
  return progress;
}

test("rollups after hours of standstill are those of all points one by one, and making them again changes nothing", async () => {
  const points = makePoints(devices, since, Date.now());
  await write(points);
  const done = await rollUp({ signal });
  expect(done.fine).toBeGreaterThanOrEqual(20);
  expect(done).toMatchObject({ late: 0, more: false });
  const progress = await expectAll(points);
  const settled = Math.floor((Date.now() - 3 * minuteMs) / (5 * minuteMs)) * 5 * minuteMs;
  expect([settled, settled - 5 * minuteMs]).toContain(progress["5m"]);
  expect(progress["1h"]).toBe(Math.floor((progress["5m"] ?? 0) / hourMs) * hourMs);
  expect(await rollUp({ signal })).toEqual({ fine: 0, hours: 0, late: 0, more: false });
  await setProgress({ "5m": since, "1h": since });
  await rollUp({ signal });
  await expectAll(points);
});

test("points that come late change the rollups of their five minutes and hours, and no others", async () => {
  const points = makePoints(devices, since, Date.now());
  await write(points);
  await rollUp({ signal });
  const until = since + 4 * hourMs;
  const known = new Set(points.map(({ device, at }) => `${device} ${at}`));
  const late = makePoints(devices.slice(0, 2), since, until, 2).filter(
    ({ device, at }) => !known.has(`${device} ${at}`),
  );
  await write(late);
  await mark(late);
  Object.assign(rollupSteps, { late: 20 });
  expect((await rollUp({ signal })).late).toBeGreaterThan(2);
  await expectAll([...points, ...late]);
  expect((await pool.query("select from metric_late")).rowCount).toBe(0);
});

test("points that come late to a time whose points were emptied are added to its rollups once", async () => {
  const all = makePoints(devices, since, Date.now());
  const emptied = since + 3 * hourMs;
  const isLate = ({ at, device }: Point) => at < emptied && (at + device) % 3 === 0;
  const [late, points] = [all.filter(isLate), all.filter((point) => !isLate(point))];
  await write(points);
  await rollUp({ signal });
  await pool.query("delete from metric_points where device = any($1) and at < to_timestamp($2 / 1000.0)", [
    devices,
    emptied,
  ]);
  await setProgress({ raw: emptied });
  const half = late.length >> 1;
  // The last ones are sent again, as a device does that got no response.
  for (const some of [late.slice(0, half), late.slice(half), late.slice(half)]) {
    await write(some);
    await mark(some);
    await rollUp({ signal });
  }
  const progress = await readProgress();
  // Which was the last cannot be known any more: that of the later batch is taken.
  const without = (rollups: Rollup[]) => rollups.map((rollup) => ({ ...rollup, last: [] }));
  const expected = [
    ["metric_rollups_5m", computeRollups(all, 5 * minuteMs, progress["5m"] ?? 0)],
    ["metric_rollups_1h", computeRollups(all, hourMs, progress["1h"] ?? 0)],
  ] as const;
  for (const [table, rollups] of expected) expectRollups(without(await readRollups(table, devices)), without(rollups));
});

test("a worker that is killed with SIGKILL twice leaves rollups that the next one completes", async () => {
  const program = await bundleProgram("rollup-process");
  try {
    const points = makePoints(devices, since, Date.now());
    await write(points);
    let reached = since;
    for (const DIE_AFTER of ["20", "31"]) {
      const [child] = await startProgram(program.file, { DIE_AFTER });
      if (child.signalCode === null) await once(child, "exit");
      expect(child.signalCode).toBe("SIGKILL");
      const now = (await readProgress())["5m"] ?? 0;
      expect(now).toBeGreaterThan(reached);
      reached = now;
    }
    expect(reached).toBeLessThan(since + 3 * hourMs);
    const [child] = await startProgram(program.file, { DIE_AFTER: "-1" });
    const [done] = (await once(child, "message")) as [RolledUp];
    expect(done).toMatchObject({ more: false });
    await expectAll(points);
  } finally {
    program.remove();
  }
}, 120_000);

test("the metrics say how far rollups are behind", async () => {
  observeRollups();
  await setProgress({ "5m": Date.now() - 2 * hourMs });
  const seconds = await countSecondsBehind();
  expect(Math.abs((seconds ?? 0) - 7_200)).toBeLessThan(60);
  expect((await readMetrics()).text).toMatch(/^muster_metric_rollups_behind_seconds 7\d\d\d/m);
});

test("two workers at once make each rollup once, while a device sends on", async () => {
  const points = makePoints(devices, since, Date.now());
  await write(points);
  const writer = await pool.connect();
  try {
    await writer.query("begin");
    await writer.query("insert into metric_points values ($1, now(), 1, '{1}')", [devices[0]]);
    const runs = await Promise.all([rollUp({ signal }), rollUp({ signal })]);
    // Five hours have sixty of five minutes.
    expect(runs.reduce((sum, { fine }) => sum + fine, 0)).toBeLessThanOrEqual(72);
    await writer.query("rollback");
  } finally {
    writer.release();
  }
  await expectAll(points);
});

test("a run that takes long stops between two steps, and the next one goes on", async () => {
  const points = makePoints(devices, since, Date.now());
  await write(points);
  Object.assign(rollupSteps, { runMs: -1 });
  expect(await rollUp({ signal })).toEqual({ fine: 0, hours: 0, late: 0, more: true });
  await expect(rollUp({ signal: AbortSignal.abort() })).resolves.toMatchObject({ more: true });
  Object.assign(rollupSteps, { runMs: 30_000 });
  await expect(rollUp({ signal: AbortSignal.abort() })).rejects.toThrow("aborted");
  await rollUp({ signal });
  await expectAll(points);
});

test("a step reads of the points only the part of its day, by device", async () => {
  const until = new Date(Math.floor(Date.now() / hourMs) * hourMs);
  const begin = new Date(until.getTime() - 15 * minuteMs);
  const { text: statement, values } = fineRollups(begin, until);
  const lines = await queryRows(pool, { "QUERY PLAN": text }, `explain ${statement}`, values);
  const plan = lines.map((line) => line["QUERY PLAN"]).join("\n");
  const part = `metric_points_${begin.toISOString().slice(0, 10).replaceAll("-", "")}`;
  expect(plan.match(/metric_points_\d+/g)?.filter((name) => name !== part)).toEqual([]);
  expect(plan).toMatch(new RegExp(`(Index|Bitmap Index) Scan .*${part}_pkey`));
  expect(plan).toContain("Index Cond: ((device = d.number)");
  expect(plan).not.toContain("Seq Scan on metric_points");
});

test("a batch of heartbeats from two days ago is in the rollups of their hours within one run", async () => {
  const own = await makeOrganization();
  const device = await makeDevice(own);
  const hour = Math.floor(Date.now() / hourMs) * hourMs - 50 * hourMs;
  const heartbeats = Array.from({ length: 120 }, (_, n) => ({
    timestamp: new Date(hour + n * 30_000),
    metrics: { battery: n, disk: { free_gb: 7 } },
  }));
  const batch = "/fleet/devices/me/heartbeat/batch/";
  const sent = await request("POST", batch, { token: device.device_token, body: { heartbeats } });
  expect(sent).toMatchObject({ status: 200, body: { accepted: 120 } });
  await rollUp({ signal });
  const { number } = await prisma.device.findUniqueOrThrow({ where: { uid: device.uid } });
  expect(await readRollups("metric_rollups_1h", [number])).toMatchObject([
    { at: hour, minimum: [0, 7], mean: [59.5, 7], maximum: [119, 7], last: [119, 7], counts: [120, 120] },
  ]);
  expect(await readRollups("metric_rollups_5m", [number])).toHaveLength(12);
});
