import { beforeAll, expect, test } from "vitest";
import { sweepOfflineDevices } from "@/server/features/alerts/offline-service";
import { recordHeartbeat } from "@/server/features/devices/heartbeat-service";
import type { RegisteredDevice } from "@/server/features/devices/resource";
import { registerDevice, updateDevice } from "@/server/features/devices/service";
import { systemContext } from "@/server/platform/context";
import { pool, prisma, transaction } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { readPoints, readStates } from "@/server/testing/metric-rows";
import { queuedJobs, removeJobs } from "@/server/testing/queued-jobs";
import { request } from "@/server/testing/requests";

let org: TestOrganization;
beforeAll(async () => {
  org = await makeOrganization();
});

const beat = (device: RegisteredDevice, body: object = {}) =>
  request<{ status: string; last_seen_at: string }>("POST", "/fleet/devices/me/heartbeat/", {
    token: device.device_token,
    body,
  });
const recoveries = async (uids: string[]) => {
  const queued = await queuedJobs(jobs.devicesRecovered, { organizationId: org.uid });
  const own = queued.filter(({ payload }) => (payload.deviceIds as string[]).some((uid) => uids.includes(uid)));
  await removeJobs(own.map(({ id }) => id));
  return own.flatMap(({ payload }) => payload.deviceIds as string[]).filter((uid) => uids.includes(uid));
};

test("devices that come back at the same time are each online, audited as themselves and logged, once", async () => {
  const devices = await Promise.all(Array.from({ length: 30 }, () => makeDevice(org)));
  const uids = devices.map(({ uid }) => uid).sort();
  const statuses = await Promise.all([...devices, ...devices].map(async (device) => (await beat(device)).status));
  expect(new Set(statuses)).toEqual(new Set([200]));

  const rows = await prisma.device.findMany({ where: { uid: { in: uids } } });
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(["online"]));
  const entries = await prisma.auditEntry.findMany({
    where: { targetId: { in: uids }, action: "device.status_changed" },
  });
  expect(entries.map(({ targetId }) => targetId).sort()).toEqual(uids);
  for (const entry of entries) {
    expect(entry).toMatchObject({ actorType: "device", before: { status: "offline" }, after: { status: "online" } });
    expect([entry.actorId, entry.targetName]).toEqual([entry.targetId, entry.actorName]);
  }
  const log = await prisma.deviceStatusChange.findMany({ where: { deviceId: { in: uids } } });
  expect(log.map(({ deviceId, status, reason }) => [deviceId, status, reason]).sort()).toEqual(
    uids.map((uid) => [uid, "online", "heartbeat"]),
  );
  expect((await recoveries(uids)).sort()).toEqual(uids);
});

test("another firmware is logged, by heartbeats and by people; the first that is known is not", async () => {
  const device = await makeDevice(org);
  for (const version of ["1.0", "1.0", "1.1"]) await beat(device, { firmware_version: version });
  await beat(device);
  await updateDevice(org.ctx, device.uid, { firmware_version: "1.2" });
  await updateDevice(org.ctx, device.uid, { firmware_version: null });
  const log = await prisma.deviceFirmwareChange.findMany({ where: { deviceId: device.uid }, orderBy: { uid: "asc" } });
  expect(log.map(({ before, after }) => `${before} → ${after}`)).toEqual(["1.0 → 1.1", "1.1 → 1.2"]);
});

test("a device that does not exist is 404 without preventing those that arrive with it", async () => {
  const device = await makeDevice(org);
  const ctx = systemContext(prisma, org.uid);
  const missing = "dev_01900000-0000-7000-8000-000000000000";
  const other = await makeDevice(await makeOrganization());
  const results = await Promise.allSettled(
    [missing, device.uid, other.uid].map((uid) => recordHeartbeat(ctx, uid, {})),
  );
  expect(results).toMatchObject([
    { status: "rejected", reason: { code: "not_found" } },
    { status: "fulfilled", value: { uid: device.uid, status: "online" } },
    { status: "rejected", reason: { code: "not_found" } },
  ]);
  await recoveries([device.uid]);
});

test("a device is online from when its heartbeat comes, however slow its clock is", async () => {
  const device = await makeDevice(org);
  const sent = Date.now();
  const ago = (seconds: number) => new Date(sent - seconds * 1_000).toISOString();
  // Every 30 seconds, by a clock that is 5 minutes slow.
  for (const [n, seconds] of [360, 330, 300].entries()) {
    const { body } = await beat(device, {
      timestamp: ago(seconds),
      firmware_version: `1.${n}`,
      metrics: { battery: n },
    });
    expect([body.status, Date.parse(body.last_seen_at)]).toEqual(["online", expect.closeTo(sent, -5)]);
    await sweepOfflineDevices(new Date(sent + 80_000));
  }
  expect(await prisma.device.findUniqueOrThrow({ where: { uid: device.uid } })).toMatchObject({
    status: "online",
    firmwareVersion: "1.2",
    metrics: { battery: 2 },
  });
  expect((await readPoints(device.uid)).map(([at]) => at)).toEqual([360, 330, 300].map(ago));
  await recoveries([device.uid]);
});

test("a heartbeat that is older than the newest is kept and changes nothing else", async () => {
  const device = await makeDevice(org);
  const start = Date.now();
  const ago = (seconds: number) => new Date(start - seconds * 1_000).toISOString();
  await beat(device, { timestamp: ago(200), firmware_version: "1.0", metrics: { mode: "auto" } });
  await beat(device, { timestamp: ago(20), metrics: { mode: "auto" } });
  const before = await prisma.device.findUniqueOrThrow({ where: { uid: device.uid } });
  for (const body of [{ metadata: { site: "old" } }, {}]) {
    const late = { firmware_version: "0.9", status: "offline", metrics: { mode: "manual", lamp: true }, ...body };
    const response = await beat(device, { timestamp: ago(100), ...late });
    expect(response.body).toMatchObject({ status: "online", last_seen_at: before.lastSeenAt?.toISOString() });
  }
  expect(await prisma.device.findUniqueOrThrow({ where: { uid: device.uid } })).toEqual({
    ...before,
    metricList: expect.any(Number),
    updatedAt: expect.any(Date),
  });
  expect((await readPoints(device.uid)).length).toBe(3);
  expect(await readStates(device.uid)).toEqual([
    [ago(200), "mode", "auto"],
    [ago(100), "lamp", true],
    [ago(100), "mode", "manual"],
    [ago(20), "mode", "auto"],
  ]);
  await recoveries([device.uid]);
});

test("a device whose clock was set back is online while its heartbeats come, and keeps what is newer", async () => {
  const device = await makeDevice(org);
  const start = Date.now();
  const ago = (seconds: number) => new Date(start - seconds * 1_000);
  const rewind = (seconds: number) =>
    prisma.device.update({ where: { uid: device.uid }, data: { lastSeenAt: ago(seconds) } });
  const read = () => prisma.device.findUniqueOrThrow({ where: { uid: device.uid } });
  const newest = { firmware_version: "1.1", metadata: { site: "north" }, metrics: { battery: 7 } };
  await beat(device, { timestamp: ago(300), ...newest });
  await rewind(300);
  await sweepOfflineDevices(new Date(start));
  expect((await read()).status).toBe("offline");
  await recoveries([device.uid]);

  const old = { firmware_version: "1.0", metadata: { site: "old" }, metrics: { battery: 9 } };
  for (const seconds of [2_700, 2_670, 2_640]) {
    const { body } = await beat(device, { timestamp: ago(seconds), ...old });
    expect([body.status, Date.parse(body.last_seen_at)]).toEqual(["online", expect.closeTo(start, -5)]);
    await sweepOfflineDevices(new Date(start + 80_000));
    // As if the next one came 60 seconds later.
    await rewind(60);
  }
  expect(await read()).toMatchObject({
    status: "online",
    firmwareVersion: "1.1",
    metadata: { site: "north" },
    metrics: { battery: 7 },
  });
  expect(await recoveries([device.uid])).toEqual([device.uid]);
  const log = await prisma.deviceStatusChange.findMany({ where: { deviceId: device.uid }, orderBy: { uid: "asc" } });
  expect(log.at(-1)).toMatchObject({ status: "online", reason: "heartbeat" });

  // In maintenance it stays, and is seen.
  await updateDevice(org.ctx, device.uid, { status: "maintenance" });
  expect((await beat(device, { timestamp: ago(2_610), status: "online" })).body.status).toBe("maintenance");
  expect((await read()).lastSeenAt?.getTime()).toBeGreaterThanOrEqual(start);
});

test("a heartbeat that one about going offline overtook changes no status, and none of the past reports one", async () => {
  const device = await makeDevice(org);
  const start = Date.now();
  const ago = (seconds: number) => new Date(start - seconds * 1_000).toISOString();
  await beat(device, { timestamp: ago(40) });
  expect((await beat(device, { timestamp: ago(0), status: "offline" })).body.status).toBe("offline");
  expect((await beat(device, { timestamp: ago(10), status: "online" })).body.status).toBe("offline");
  await prisma.device.update({ where: { uid: device.uid }, data: { lastSeenAt: new Date(start - 91_000) } });
  // A point is not later than when its device was last there.
  await pool.query("update metric_points set at = at - interval '91 seconds' where device = $1", [
    (await prisma.device.findUniqueOrThrow({ where: { uid: device.uid } })).number,
  ]);
  expect((await beat(device, { timestamp: ago(500), status: "offline" })).body.status).toBe("offline");
  expect((await beat(device, { timestamp: ago(400), status: "maintenance" })).body.status).toBe("online");
  await recoveries([device.uid]);
});

test("two heartbeats of a device that arrive together are both recorded, in their order", async () => {
  const device = await makeDevice(org);
  const ctx = systemContext(prisma, org.uid);
  await Promise.all([
    recordHeartbeat(ctx, device.uid, { firmware_version: "1.0", metrics: { battery: 50 } }),
    recordHeartbeat(ctx, device.uid, { firmware_version: "1.1", status: "offline" }),
  ]);
  expect(await prisma.device.findUniqueOrThrow({ where: { uid: device.uid } })).toMatchObject({
    firmwareVersion: "1.1",
    status: "offline",
    metrics: { battery: 50 },
  });
  const log = await prisma.deviceStatusChange.findMany({ where: { deviceId: device.uid }, orderBy: { uid: "asc" } });
  expect(log.map(({ status, reason }) => [status, reason])).toEqual([
    ["online", "heartbeat"],
    ["offline", "reported by the device"],
  ]);
  await recoveries([device.uid]);
});

test("metadata is merged one level deep, also by heartbeats that arrive together", async () => {
  const device = await makeDevice(org, { metadata: { site: "north", disk: { free: 1 }, old: true } });
  const changes = [{ disk: { total: 9 } }, { old: null }, { ros: "jazzy" }];
  const responses = await Promise.all(changes.map((metadata) => beat(device, { metadata })));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  const { metadata } = await prisma.device.findUniqueOrThrow({ where: { uid: device.uid } });
  expect(metadata).toEqual({ site: "north", disk: { total: 9 }, ros: "jazzy" });
  await recoveries([device.uid]);
});

test("a heartbeat within a transaction is part of it, so that it finds a device registered there", async () => {
  const ctx = systemContext(prisma, org.uid);
  const uid = await transaction(ctx, async (tx) => {
    const device = await registerDevice(tx, { name: "New" });
    expect((await recordHeartbeat(tx, device.uid, {})).status).toBe("online");
    return device.uid;
  });
  await recoveries([uid]);
});
