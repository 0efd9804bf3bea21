import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { RegisteredDevice } from "@/server/features/devices/resource";
import { deleteDevice } from "@/server/features/devices/service";
import { pool, prisma } from "@/server/platform/db";
import { queryRows, text } from "@/server/platform/rows";
import type { DeviceMetrics, Metric, MetricSeries } from "@/server/read-models/health/resource";
import { seriesStatement } from "@/server/read-models/health/series";
import { addMember, makeDevice, makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { setRollupProgress, writeMetrics } from "@/server/testing/metric-rows";
import { request } from "@/server/testing/requests";

let org: TestOrganization;
let device: RegisteredDevice;
beforeAll(async () => {
  org = await makeOrganization();
});
beforeEach(async () => {
  device = await makeDevice(org, { type: unique("type") });
  await setRollupProgress({ raw: start - 30 * day, "5m": start - 30 * day, "1h": start - 30 * day });
});

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
/** A full hour of some hours ago. */
const start = Math.floor(Date.now() / hour) * hour - 3 * hour;
const iso = (ms: number) => new Date(ms).toISOString();

const beat = (metrics: Record<string, unknown>, to = device) =>
  request("POST", "/fleet/devices/me/heartbeat/", { token: to.device_token, body: { metrics } });
const get = async <T>(path: string, key = org.key) => {
  const { status, body } = await request<T>("GET", path, { key });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const readSeries = async (query: Record<string, string>, uid = device.uid): Promise<MetricSeries[]> =>
  (await get<DeviceMetrics>(`/fleet/devices/${uid}/metrics/?${new URLSearchParams(query)}`)).names;
const range = (since: number, until: number, points = 300) => ({
  since: iso(since),
  until: iso(until),
  points: String(points),
});

describe("a device's metrics over time", () => {
  test("few heartbeats are points at their times, with what they mean", async () => {
    await writeMetrics(device.uid, [
      [start, { battery: 0.5, charging: false }],
      [start + minute, { battery: 0.4 }],
      [start + 2 * minute, { battery: 0.45, charging: true }],
    ]);
    expect(await readSeries(range(start, start + hour))).toEqual([
      {
        ...{ name: "battery", label: "Battery", unit: "", kind: "fraction", resolution: "raw" },
        points: [
          [iso(start), 0.5, 0.5, 0.5],
          [iso(start + minute), 0.4, 0.4, 0.4],
          [iso(start + 2 * minute), 0.45, 0.45, 0.45],
        ],
      },
      {
        ...{ name: "charging", label: "Charging", unit: "", kind: "state", resolution: "raw" },
        changes: [
          [iso(start), false],
          [iso(start + 2 * minute), true],
        ],
      },
    ]);
  });

  test("many are put together, at most as many as asked for, and every one counts", async () => {
    const beats = Array.from({ length: 120 }, (_, n): [number, object] => [start + n * 30_000, { load: n }]);
    await writeMetrics(device.uid, beats);
    const [series] = await readSeries({ names: "load", ...range(start, start + hour, 6) });
    expect(series?.points).toEqual(
      [0, 1, 2, 3, 4, 5].map((n) => [iso(start + n * 10 * minute), n * 20, n * 20 + 9.5, n * 20 + 19]),
    );
    expect((await readSeries({ names: "load", ...range(start, start + hour, 7) }))[0]?.points).toHaveLength(7);
  });

  test("the state in force at the begin is the first change, and of many in a short time the last one counts", async () => {
    const beats = [0, 1, 2, 3, 4].map((n): [number, object] => [start + n * minute, { mode: `m${n}` }]);
    await writeMetrics(device.uid, beats);
    const modes = async (query: Record<string, string>) => (await readSeries({ names: "mode", ...query }))[0]?.changes;
    expect(await modes(range(start + 90_000, start + hour))).toEqual([
      [iso(start + minute), "m1"],
      [iso(start + 2 * minute), "m2"],
      [iso(start + 3 * minute), "m3"],
      [iso(start + 4 * minute), "m4"],
    ]);
    expect(await modes(range(start + 90_000, start + hour, 1))).toEqual([
      [iso(start + minute), "m1"],
      [iso(start + 4 * minute), "m4"],
    ]);
    expect(await modes(range(start + 2 * hour, start + 3 * hour))).toEqual([[iso(start + 4 * minute), "m4"]]);
    expect(await modes(range(start - 2 * hour, start - hour))).toEqual([]);
  });

  test("a long time is read from rollups as far as they are made, and from heartbeats since then", async () => {
    await writeMetrics(device.uid, [
      [start - 2 * day, { load: 1 }],
      [start, { load: 5 }],
      [start + 2 * minute, { load: 9 }],
    ]);
    const rollup = (table: string, at: number, mean: number, count: number) =>
      pool.query(
        `insert into ${table} select number, to_timestamp($2 / 1000.0), metric_list, '{0}', array[$3::float8], '{50}', '{7}', array[$4::int]
         from devices where uid = $1`,
        [device.uid, at, mean, count],
      );
    await rollup("metric_rollups_1h", start - 2 * day, 10, 100);
    await rollup("metric_rollups_1h", start - 2 * day + hour, 20, 300);
    await rollup("metric_rollups_5m", start - hour, 30, 10);
    await setRollupProgress({ "1h": start - hour, "5m": start, raw: start - day });
    const long = await readSeries({ names: "load", ...range(start - 4 * day, start + hour, 3) });
    expect(long[0]?.resolution).toBe("1h");
    // 17.5 is the mean of 400 heartbeats.
    expect(long[0]?.points).toEqual([
      [iso(start - 2 * day), 0, 17.5, 50],
      [iso(start - hour), 0, (300 + 14) / 12, 50],
    ]);
    // Heartbeats of before are gone, so that short times are read from rollups as well.
    const short = await readSeries({ names: "load", ...range(start - 2 * day, start - 2 * day + hour) });
    expect(short[0]).toMatchObject({ resolution: "5m", points: [] });
    await rollup("metric_rollups_5m", start - 2 * day + 10 * minute, 12, 10);
    const fine = await readSeries({ names: "load", ...range(start - 2 * day, start - 2 * day + hour) });
    expect(fine[0]?.points).toEqual([[iso(start - 2 * day + 10 * minute), 0, 12, 50]]);
  });

  test("values near the largest number have a mean, and what is no number is none", async () => {
    await writeMetrics(device.uid, [
      [start, { load: 1.7e308 }],
      [start + 1_000, { load: 1.7e308 }],
    ]);
    await pool.query(
      `insert into metric_points select number, to_timestamp($2 / 1000.0), metric_list, '{NaN}' from devices where uid = $1`,
      [device.uid, start + 2_000],
    );
    const [series] = await readSeries({ names: "load", ...range(start, start + hour, 1) });
    expect(series?.points).toEqual([[iso(start), 1.7e308, 1.7e308, 1.7e308]]);
  });

  test("a name that became another kind of value has both, and one that was never sent is left out", async () => {
    await writeMetrics(device.uid, [
      [start, { lid: 1 }],
      [start + minute, { lid: "open" }],
    ]);
    expect(await readSeries({ names: "lid,gone", ...range(start, start + hour) })).toMatchObject([
      { name: "lid", points: [[iso(start), 1, 1, 1]], changes: [[iso(start + minute), "open"]] },
    ]);
  });

  test("the first twenty are those that are shown first", async () => {
    const metrics = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`m${String(n).padStart(2, "0")}`, n]));
    await beat({ ...metrics, battery: 0.5 });
    const names = (await readSeries({})).map(({ name }) => name);
    expect([names.length, names[0], names.at(-1)]).toEqual([20, "battery", "m18"]);
  });

  test("a range that ends before it begins has nothing", async () => {
    await writeMetrics(device.uid, [[start, { load: 1 }]]);
    expect(await readSeries(range(start, start))).toEqual([]);
  });

  test.each([
    [
      { names: Array.from({ length: 21 }, (_, n) => `m${n}`).join() },
      { names: ["Ensure this field has no more than 20 elements."] },
    ],
    [{ points: "0" }, { points: ["Ensure this value is greater than or equal to 1."] }],
  ])("what is asked for wrongly is refused: %j", async (query, expected) => {
    const path = `/fleet/devices/${device.uid}/metrics/?${new URLSearchParams(query)}`;
    expect(await request("GET", path, { key: org.key })).toMatchObject({ status: 400, body: expected });
  });

  test("nothing of a deleted device, of another organization or of another device is read", async () => {
    await writeMetrics(device.uid, [[start, { load: 1 }]]);
    const other = await makeOrganization();
    const path = `/fleet/devices/${device.uid}/metrics/`;
    expect((await request("GET", path, { key: other.key })).status).toBe(404);
    const second = await makeDevice(org);
    await writeMetrics(second.uid, [[start, { load: 2 }]]);
    expect((await readSeries(range(start, start + hour)))[0]?.points).toEqual([[iso(start), 1, 1, 1]]);
    await deleteDevice(org.ctx, device.uid);
    expect((await request("GET", path, { key: org.key })).status).toBe(404);
  });

  test("of each table only the parts of the time are read, by device", async () => {
    await writeMetrics(device.uid, [[start, { load: 1 }]]);
    const since = new Date(start);
    const until = new Date(start + hour);
    const bins = { since, until, widthMs: minute };
    const sources = { resolution: "1h", hoursUntil: new Date(start + 1), fineUntil: new Date(start + 2) } as const;
    const statement = seriesStatement(org.uid, device.uid, [1], bins, sources);
    const lines = await queryRows(pool, { "QUERY PLAN": text }, `explain ${statement.text}`, statement.values);
    const plan = lines.map((line) => line["QUERY PLAN"]).join("\n");
    const stamp = since.toISOString().slice(0, 10).replaceAll("-", "");
    const parts = new Set(plan.match(/metric_(points|rollups_5m|rollups_1h)_\d+(?=_| )/g));
    expect([...parts].sort()).toEqual([
      `metric_points_${stamp}`,
      `metric_rollups_1h_${stamp.slice(0, 6)}`,
      `metric_rollups_5m_${stamp.slice(0, 6)}`,
    ]);
    expect(plan.match(/Index Cond: \(\(?device = d/g)).toHaveLength(3);
    expect(plan).not.toMatch(/Seq Scan on metric_(points|rollups)/);
  });
});

describe("the metrics of an organization", () => {
  test("are listed by name with how many devices have sent them, page by page", async () => {
    const own = await makeOrganization();
    const [first, second] = [await makeDevice(own), await makeDevice(own)];
    await beat({ battery: 0.5, gripper: "open", disk: { free_gb: 12 } }, first);
    await beat({ battery: 50 }, second);
    await beat({ secret: 1 });
    const found = await get<{ results: Metric[] }>("/fleet/metrics/?search=FREE_", own.key);
    expect(found.results.map(({ name }) => name)).toEqual(["disk.free_gb"]);
    const page = await get<{ results: Metric[]; next: string | null }>("/fleet/metrics/?limit=2", own.key);
    expect(page.results.map(({ name, devices }) => [name, devices])).toEqual([
      ["battery", 2],
      ["disk.free_gb", 1],
    ]);
    const next = await get<{ results: Metric[]; next: string | null }>(page.next ?? "", own.key);
    expect(next).toMatchObject({
      next: null,
      results: [{ name: "gripper", kind: "state", sample: "open", devices: 1, guessed: true }],
    });
  });
});

describe("what a metric means", () => {
  const path = (name: string) => `/fleet/metrics/${name}/meaning/`;
  const save = (name: string, body: object, key = org.key) => request("PATCH", path(name), { key, body });
  const find = async (name: string) =>
    (await get<{ results: Metric[] }>("/fleet/metrics/?limit=200")).results.find((each) => each.name === name);

  test("is what was said, by type over every type, until it goes back to the guess", async () => {
    const name = unique("metric");
    await writeMetrics(device.uid, [[start, { [name]: 0.5 }]]);
    const bounds = { warning_min: 0.3, warning_max: null, critical_min: 0.1, critical_max: null };
    expect(await save(name, { label: "Accu", kind: "fraction", bounds })).toMatchObject({
      status: 200,
      body: { device_type: "", label: "Accu", unit: null, kind: "fraction", rank: null, bounds },
    });
    expect((await save(name, { device_type: device.type, label: "Pack" })).status).toBe(200);
    expect(await find(name)).toMatchObject({ label: "Accu", kind: "fraction", bounds, guessed: false, devices: 1 });
    expect((await readSeries(range(start, start + hour)))[0]).toMatchObject({ label: "Pack", kind: "fraction" });
    // What is left out stays, and null is the guess.
    await save(name, { label: null });
    expect(await find(name)).toMatchObject({ label: expect.stringMatching(/^Metric/), kind: "fraction", bounds });
    expect((await request("DELETE", path(name), { key: org.key })).status).toBe(204);
    expect(await find(name)).toMatchObject({ kind: "gauge", guessed: false, meanings: [{ device_type: device.type }] });
    expect((await save(name, { device_type: device.type, label: null })).status).toBe(200);
    expect(await find(name)).toMatchObject({ guessed: true, meanings: [] });
    expect((await request("DELETE", path(name), { key: org.key })).status).toBe(204);
    expect((await request("DELETE", path("never-sent"), { key: org.key })).status).toBe(404);
  });

  test("is said by admins, and kept in the audit log", async () => {
    const name = unique("metric");
    await writeMetrics(device.uid, [[start, { [name]: 1 }]]);
    const member = await addMember(org);
    expect((await save(name, { unit: "kN" }, member.key)).status).toBe(403);
    expect((await save(name, { unit: "kN" })).status).toBe(200);
    expect((await save("never-sent", { unit: "kN" })).status).toBe(404);
    const entries = await prisma.auditEntry.findMany({ where: { organizationId: org.uid, targetId: name } });
    expect(entries.map(({ action, after }) => [action, after])).toMatchObject([
      ["metric_meaning.saved", { unit: "kN" }],
    ]);
  });

  test.each([
    [{ bounds: { warning_min: 5, critical_min: 6 } }, "bounds"],
    [{ kind: "number" }, "kind"],
    [{ label: " " }, "label"],
    [{ rank: 0 }, "rank"],
    [{ unit: "x".repeat(21) }, "unit"],
  ])("is refused where it cannot be: %j", async (body, field) => {
    const name = unique("metric");
    await writeMetrics(device.uid, [[start, { [name]: 1 }]]);
    const { status, body: answer } = await save(name, body);
    expect([status, Object.keys(answer)]).toEqual([400, [field]]);
  });

  test("is kept for at most 50 device types", async () => {
    const name = unique("metric");
    await writeMetrics(device.uid, [[start, { [name]: 1 }]]);
    await prisma.metricMeaning.createMany({
      data: Array.from({ length: 51 }, (_, n) => ({
        organizationId: org.uid,
        name,
        deviceType: n === 0 ? "" : `t${n}`,
        rank: 1,
      })),
    });
    expect((await save(name, { device_type: "one more", rank: 2 })).status).toBe(400);
    expect((await save(name, { device_type: "t3", rank: 2 })).status).toBe(200);
  });
});
