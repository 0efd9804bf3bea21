import { beforeAll, expect, test } from "vitest";
import { ignoredReasons } from "@/domain/health/flatten";
import { healthLimits } from "@/domain/health/limits";
import { recordHeartbeat } from "@/server/features/devices/heartbeat-service";
import type { RegisteredDevice } from "@/server/features/devices/resource";
import { systemContext } from "@/server/platform/context";
import { pool, prisma } from "@/server/platform/db";
import { metrics } from "@/server/platform/metrics";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { readPoints, readStates } from "@/server/testing/metric-rows";
import { request } from "@/server/testing/requests";

let org: TestOrganization;
beforeAll(async () => {
  org = await makeOrganization();
});

const second = 1_000;
const now = Math.floor(Date.now() / second) * second;
const ago = (seconds: number) => new Date(now - seconds * second).toISOString();

const beat = async (device: RegisteredDevice, body: object) => {
  const response = await request<{ ignored: { name: string; reason: string }[] }>(
    "POST",
    "/fleet/devices/me/heartbeat/",
    { token: device.device_token, body },
  );
  expect(response.status).toBe(200);
  return response.body.ignored;
};

test("a heartbeat is a point with its numbers at its time, and texts and booleans only when they change", async () => {
  const device = await makeDevice(org);
  await beat(device, { timestamp: ago(90), metrics: { battery: 0.9, disk: { free_gb: 12 }, mode: "auto" } });
  await beat(device, { timestamp: ago(60), metrics: { battery: 0.8, mode: "auto", charging: false } });
  await beat(device, { timestamp: ago(30), metrics: { battery: 0.7, mode: "manual", charging: false } });
  await beat(device, { timestamp: ago(0) });
  expect(await readPoints(device.uid)).toEqual([
    [ago(90), { battery: 0.9, "disk.free_gb": 12 }],
    [ago(60), { battery: 0.8 }],
    [ago(30), { battery: 0.7 }],
    [ago(0), {}],
  ]);
  expect(await readStates(device.uid)).toEqual([
    [ago(90), "mode", "auto"],
    [ago(60), "charging", false],
    [ago(30), "mode", "manual"],
  ]);
});

test("a state that not every heartbeat has is written again only when it differs", async () => {
  const device = await makeDevice(org);
  for (const [at, body] of [{ mode: "auto" }, { battery: 1 }, { mode: "auto" }, {}, { mode: "manual" }].entries()) {
    await beat(device, { timestamp: ago(200 - at * 30), metrics: body });
  }
  expect(await readStates(device.uid)).toEqual([
    [ago(200), "mode", "auto"],
    [ago(80), "mode", "manual"],
  ]);
});

test("a metric that the device sent as number and as text is kept as what it was each time", async () => {
  const device = await makeDevice(org);
  await beat(device, { timestamp: ago(60), metrics: { gear: 3 } });
  await beat(device, { timestamp: ago(30), metrics: { gear: "R" } });
  expect(await readPoints(device.uid)).toEqual([
    [ago(60), { gear: 3 }],
    [ago(30), {}],
  ]);
  expect(await readStates(device.uid)).toEqual([[ago(30), "gear", "R"]]);
});

test("of two heartbeats with one time the first is the point", async () => {
  const device = await makeDevice(org);
  await beat(device, { timestamp: ago(10), metrics: { battery: 1 } });
  await beat(device, { timestamp: ago(10), metrics: { battery: 2 } });
  expect(await readPoints(device.uid)).toEqual([[ago(10), { battery: 1 }]]);
});

test("what cannot be kept is named in the response and stays on the device as sent", async () => {
  const device = await makeDevice(org);
  const sent = { errors: ["E12"], battery: 0.5, "bad name": 1 };
  expect(await beat(device, { metrics: sent })).toEqual([
    { name: "errors", reason: ignoredReasons.list },
    { name: "bad name", reason: ignoredReasons.name },
  ]);
  expect((await prisma.device.findUniqueOrThrow({ where: { uid: device.uid } })).metrics).toEqual(sent);
  const late = new Date(now - (healthLimits.lateDays * 86_400 + 60) * second).toISOString();
  expect(await beat(device, { timestamp: late, metrics: { battery: 0.5 } })).toEqual([
    { name: "battery", reason: ignoredReasons.late },
  ]);
});

test("a device has 256 metrics and an organization 2,000, also of those that arrive together", async () => {
  const own = await makeOrganization();
  const devices = await Promise.all(Array.from({ length: 9 }, () => makeDevice(own)));
  const name = (device: number, n: number) => `d${device}.m${n}`;
  const makeMetrics = (device: number, from: number) =>
    Object.fromEntries(Array.from({ length: healthLimits.perHeartbeat }, (_, n) => [name(device, from + n), n]));
  const ignored = await Promise.all(
    devices.map(async (device, index) => {
      const all = [];
      for (const from of [0, 64, 128, 192, 256]) {
        all.push(...(await beat(device, { timestamp: ago(300 - from), metrics: makeMetrics(index, from) })));
      }
      return all;
    }),
  );
  const reasons = ignored.flat().map(({ reason }) => reason);
  // 9 devices send 320 each: 64 of each are beyond the device's 256, and 9 x 256 is 304 beyond the organization's 2,000.
  expect(await prisma.metricName.count({ where: { organizationId: own.uid } })).toBe(healthLimits.perOrganization);
  expect(reasons.length).toBe(9 * 320 - 2_000);
  expect(new Set(reasons)).toEqual(new Set([ignoredReasons.device, ignoredReasons.organization]));
  const points = await readPoints(devices[0]!.uid);
  expect(points[0]?.[1]).toMatchObject({ "d0.m0": 0, "d0.m63": 63 });
}, 60_000);

test("a heartbeat whose day has no part is recorded without its point, and counted", async () => {
  const device = await makeDevice(org);
  await beat(device, { timestamp: ago(60), metrics: { battery: 1 } });
  const client = await pool.connect();
  const lost = async () => (await metrics.lostPoints.get()).values[0]?.value ?? 0;
  const before = await lost();
  const missing = new Date(now - 6.5 * 86_400 * second);
  const part = `metric_points_${missing.toISOString().slice(0, 10).replaceAll("-", "")}`;
  try {
    await client.query(`alter table ${part} rename to ${part}_aside`);
    await beat(device, { timestamp: missing.toISOString(), metrics: { battery: 2 } });
  } finally {
    await client.query(`alter table ${part}_aside rename to ${part}`);
    client.release();
  }
  expect(await lost()).toBe(before + 1);
  expect(await readPoints(device.uid)).toEqual([[ago(60), { battery: 1 }]]);
});

test("points that come after their rollup have it made again", async () => {
  const device = await makeDevice(org);
  for (const seconds of [4_000, 3_990, 0]) await beat(device, { timestamp: ago(seconds), metrics: { battery: 1 } });
  const { number } = await prisma.device.findUniqueOrThrow({ where: { uid: device.uid } });
  const late = await prisma.metricLate.findMany({ where: { device: number } });
  const bucket = 300 * second;
  const buckets = [4_000, 3_990].map((seconds) => Math.floor((now - seconds * second) / bucket) * bucket);
  expect(new Set(late.map(({ at }) => at.getTime()))).toEqual(new Set(buckets));
});

test("heartbeats within a transaction that is rolled back leave no metric behind", async () => {
  const device = await makeDevice(org);
  const ctx = systemContext(prisma, org.uid);
  const failed = prisma.$transaction(async (db) => {
    await recordHeartbeat({ ...ctx, db }, device.uid, { metrics: { torque: 4 } });
    throw new Error("rolled back");
  });
  await expect(failed).rejects.toThrow("rolled back");
  expect(await readPoints(device.uid)).toEqual([]);
  await beat(device, { timestamp: ago(5), metrics: { torque: 5 } });
  expect(await readPoints(device.uid)).toEqual([[ago(5), { torque: 5 }]]);
});
