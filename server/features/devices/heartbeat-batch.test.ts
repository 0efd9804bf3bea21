import { beforeAll, expect, test } from "vitest";
import { ignoredReasons } from "@/domain/health/flatten";
import type { RegisteredDevice } from "@/server/features/devices/resource";
import { pool, prisma } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { readPoints, readStates } from "@/server/testing/metric-rows";
import { queuedJobs } from "@/server/testing/queued-jobs";
import { request } from "@/server/testing/requests";

let org: TestOrganization;
beforeAll(async () => {
  org = await makeOrganization();
});

const second = 1_000;
const now = Math.floor(Date.now() / second) * second;
const ago = (seconds: number) => new Date(now - seconds * second).toISOString();
const day = 86_400;

const path = "/fleet/devices/me/heartbeat/batch/";
const send = (device: RegisteredDevice, heartbeats: unknown) =>
  request<Record<string, unknown>>("POST", path, { token: device.device_token, body: { heartbeats } });
const beat = (device: RegisteredDevice, body: object) =>
  request("POST", "/fleet/devices/me/heartbeat/", { token: device.device_token, body });
const read = (device: RegisteredDevice) => prisma.device.findUniqueOrThrow({ where: { uid: device.uid } });

test("a batch is kept in any order, a time once, and what was kept before is repeated", async () => {
  const device = await makeDevice(org);
  await beat(device, { timestamp: ago(600), metrics: { battery: 0.6 } });
  const sent = [
    { timestamp: ago(300), metrics: { battery: 0.3, errors: [1] } },
    { timestamp: ago(900), metrics: { battery: 0.9, errors: [1] } },
    { timestamp: ago(900), metrics: { battery: 0.1 } },
    { timestamp: ago(600), metrics: { battery: 0.1 } },
  ];
  const ignored = [{ name: "errors", reason: ignoredReasons.list }];
  expect(await send(device, sent)).toMatchObject({ status: 200, body: { accepted: 2, repeated: 2, ignored } });
  expect(await readPoints(device.uid)).toEqual([
    [ago(900), { battery: 0.9 }],
    [ago(600), { battery: 0.6 }],
    [ago(300), { battery: 0.3 }],
  ]);
  expect(await send(device, sent)).toMatchObject({ status: 200, body: { accepted: 0, repeated: 4, ignored } });
});

test("only the newest heartbeat changes the device, and one older than 90 s does not make it online", async () => {
  const device = await makeDevice(org, { metadata: { site: "A", mission: 1 } });
  const older = { timestamp: ago(500), status: "online", firmware_version: "1", metrics: { battery: 1 } };
  const newest = { timestamp: ago(400), firmware_version: "2", metadata: { mission: 2 }, metrics: { battery: 2 } };
  expect((await send(device, [newest, older])).status).toBe(200);
  expect(await read(device)).toMatchObject({
    status: "offline",
    firmwareVersion: "2",
    metrics: { battery: 2 },
    metadata: { site: "A", mission: 2 },
    lastSeenAt: new Date(ago(400)),
  });
  expect((await send(device, [{ timestamp: ago(450), firmware_version: "1.5", metrics: {} }])).status).toBe(200);
  expect(await read(device)).toMatchObject({ firmwareVersion: "2", metrics: { battery: 2 } });
  const recovered = () => queuedJobs(jobs.devicesRecovered, { organizationId: org.uid });
  const before = (await recovered()).length;
  expect((await send(device, [{ timestamp: ago(350), status: "online" }])).status).toBe(200);
  expect([(await read(device)).status, (await recovered()).length]).toEqual(["offline", before]);

  expect((await send(device, [{ timestamp: new Date().toISOString() }])).status).toBe(200);
  expect([(await read(device)).status, (await recovered()).length]).toEqual(["online", before + 1]);
  expect((await send(device, [{ timestamp: ago(200) }])).status).toBe(200);
  expect((await read(device)).status).toBe("online");
});

test("states of late heartbeats are changes at their times, and change back with the heartbeat that follows", async () => {
  const device = await makeDevice(org);
  await beat(device, { timestamp: ago(600), metrics: { mode: "auto" } });
  await beat(device, { timestamp: ago(100), metrics: { mode: "auto" } });
  const late = [500, 400, 300].map((seconds) => ({
    timestamp: ago(seconds),
    metrics: { mode: seconds === 500 ? "auto" : "manual", lamp: seconds === 300 },
  }));
  expect(await send(device, late)).toMatchObject({ status: 200, body: { accepted: 3 } });
  expect(await readStates(device.uid)).toEqual([
    [ago(600), "mode", "auto"],
    [ago(500), "lamp", false],
    [ago(400), "mode", "manual"],
    [ago(300), "lamp", true],
    [ago(100), "mode", "auto"],
  ]);
});

test("a batch with one bad heartbeat is refused as a whole, at that heartbeat", async () => {
  const device = await makeDevice(org);
  const good = { timestamp: ago(60), metrics: { battery: 1 } };
  const refused: [unknown, string][] = [
    [[good, { metrics: {} }], "timestamp"],
    [[good, { timestamp: ago(7 * day + 60) }], "7 days"],
    [[good, { timestamp: ago(-600) }], "5 minutes"],
    [[good, { timestamp: "soon" }], "timestamp"],
    [[good, { timestamp: ago(5), status: "busy" }], "busy"],
  ];
  for (const [heartbeats, about] of refused) {
    const response = await send(device, heartbeats);
    expect(response.status).toBe(400);
    expect(JSON.stringify(response.body)).toContain(about);
    expect(JSON.stringify(response.body)).toContain('"heartbeats"');
  }
  expect((await send(device, [])).status).toBe(400);
  expect(
    (
      await send(
        device,
        Array.from({ length: 1_001 }, (_, n) => ({ timestamp: ago(n) })),
      )
    ).status,
  ).toBe(400);
  expect((await send(device, "no list")).status).toBe(400);
  expect(await readPoints(device.uid)).toEqual([]);
  expect((await read(device)).lastSeenAt).toBeNull();
});

test("a batch is for a device's own token", async () => {
  const body = { heartbeats: [{ timestamp: ago(60) }] };
  expect((await request("POST", path, { key: org.key, body })).status).toBe(403);
  expect((await request("POST", path, { body })).status).toBe(401);
});

test("a device waits for nobody where the fleet has sent its metrics before", async () => {
  const [first, second] = [await makeDevice(org), await makeDevice(org)];
  const metrics = { fleet_battery: 1, fleet_load: 2 };
  expect((await send(first, [{ timestamp: ago(30), metrics }])).status).toBe(200);
  const other = await pool.connect();
  try {
    await other.query("begin");
    await other.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`metrics ${org.uid}`]);
    expect((await send(second, [{ timestamp: ago(30), metrics }])).status).toBe(200);
  } finally {
    await other.query("rollback");
    other.release();
  }
  expect(await readPoints(second.uid)).toEqual([[ago(30), metrics]]);
});

test("two batches of a device at the same time are each kept once", async () => {
  const device = await makeDevice(org);
  const batch = Array.from({ length: 100 }, (_, n) => ({ timestamp: ago(3_000 - n * 10), metrics: { battery: n } }));
  const responses = await Promise.all([send(device, batch), send(device, batch), send(device, batch.toReversed())]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  const accepted = responses.map(({ body }) => Number(body.accepted));
  expect(accepted.reduce((sum, count) => sum + count)).toBe(100);
  expect((await readPoints(device.uid)).length).toBe(100);
});

test("batches of several fleets that arrive together are kept each for its device", async () => {
  const other = await makeOrganization();
  const devices = [await makeDevice(org, { metadata: { site: "A" } }), await makeDevice(org), await makeDevice(other)];
  const gone = await makeDevice(org);
  const batch = (n: number) =>
    [300, 200, 100].map((seconds) => ({
      timestamp: ago(seconds),
      firmware_version: `${n}`,
      metadata: { robot: n },
      metrics: { battery: n + seconds, mode: seconds === 300 ? "auto" : `manual ${n}` },
    }));
  const responses = await Promise.all([
    ...devices.map((device, n) => send(device, batch(n))),
    request("DELETE", `/fleet/devices/${gone.uid}/`, { key: org.key }),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 204]);
  expect((await send(gone, batch(3))).status).toBe(401);
  for (const [n, device] of devices.entries()) {
    expect(await readPoints(device.uid)).toEqual([300, 200, 100].map((each) => [ago(each), { battery: n + each }]));
    expect(await readStates(device.uid)).toEqual([
      [ago(300), "mode", "auto"],
      [ago(200), "mode", `manual ${n}`],
    ]);
    expect(await read(device)).toMatchObject({
      firmwareVersion: `${n}`,
      metadata: n === 0 ? { site: "A", robot: 0 } : { robot: n },
      metrics: { battery: n + 100, mode: `manual ${n}` },
      lastSeenAt: new Date(ago(100)),
    });
  }
});

test("beyond 100 at a time batches are refused before anything is done for them, with when to come back", async () => {
  const device = await makeDevice(org);
  const holder = await pool.connect();
  const strange = () => request("POST", path, { token: "svd_nobody", body: { heartbeats: [] } });
  expect((await strange()).status).toBe(401);
  let sent: ReturnType<typeof send>[] = [];
  try {
    await holder.query("begin");
    await holder.query("select from devices where uid = $1 for update", [device.uid]);
    sent = Array.from({ length: 100 }, (_, n) => send(device, [{ timestamp: ago(1_000 - n) }]));
    await expect.poll(async () => (await strange()).status).toBe(503);
    const refused = await strange();
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.body).toEqual({ detail: "The service is not ready. Try again shortly." });
  } finally {
    await holder.query("rollback");
    holder.release();
  }
  expect(new Set((await Promise.all(sent)).map(({ status }) => status))).toEqual(new Set([200]));
  expect((await readPoints(device.uid)).length).toBe(100);
  expect((await strange()).status).toBe(401);
});
