import { beforeAll, describe, expect, test } from "vitest";
import { recoverDevice, sweepOfflineDevices } from "@/server/features/alerts/offline-service";
import type { AlertDetail, AlertResource } from "@/server/features/alerts/resource";
import type { DeviceResource } from "@/server/features/devices/resource";
import { prisma } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import type { Page } from "@/server/platform/pagination";
import { makeChannel } from "@/server/testing/alerts";
import { makeDevice, makeOrganization, request, type TestOrganization } from "@/server/testing/factories";
import { queuedJobs } from "@/server/testing/queued-jobs";

let org: TestOrganization;
beforeAll(async () => {
  org = await makeOrganization();
});

/** A device last heard of that many seconds before now. */
async function online(secondsAgo: number, input: { tags?: string[] } = {}, organization = org) {
  const device = await makeDevice(organization, input);
  await prisma.device.update({
    where: { uid: device.uid },
    data: { status: "online", lastSeenAt: new Date(now.getTime() - secondsAgo * 1_000) },
  });
  return device;
}
const now = new Date("2026-03-01T12:00:00.000Z");
const status = async (uid: string, key = org.key) =>
  (await request<DeviceResource>("GET", `/fleet/devices/${uid}/`, { key })).body.status;
const listAlerts = async (uid: string, key = org.key) =>
  (await request<Page<AlertResource>>("GET", `/fleet/alerts/?device_id=${uid}`, { key })).body.results;
const builtin = (organization: TestOrganization) =>
  prisma.rule.findFirstOrThrow({ where: { organizationId: organization.uid, builtin: true } });

describe("silent devices", () => {
  test("an online device silent for 90 s is offline, with one alert of the built-in rule; one heard of since is not", async () => {
    const [silent, received] = [await online(91), await online(89)];
    await Promise.all([sweepOfflineDevices(now), sweepOfflineDevices(now), sweepOfflineDevices(now)]);
    expect([await status(silent.uid), await status(received.uid)]).toEqual(["offline", "online"]);
    expect(await listAlerts(received.uid)).toEqual([]);
    const rule = await builtin(org);
    const alerts = await listAlerts(silent.uid);
    expect(alerts).toMatchObject([
      {
        rule_id: rule.uid,
        rule_name: "Device offline",
        recording_id: null,
        status: "open",
        severity: "warning",
        triggered_at: new Date(now.getTime() - 1_000).toISOString(),
      },
    ]);
    expect(rule).toMatchObject({ hitCount: 1n, lastHitNs: BigInt(now.getTime() - 1_000) * 1_000_000n });
    const entries = await prisma.auditEntry.findMany({
      where: { targetId: silent.uid, action: "device.status_changed" },
    });
    expect(entries).toMatchObject([
      { actorType: "system", before: { status: "online" }, after: { status: "offline" } },
    ]);
  });

  test("a device in maintenance stays so", async () => {
    const device = await online(1_000);
    await prisma.device.update({ where: { uid: device.uid }, data: { status: "maintenance" } });
    await sweepOfflineDevices(now);
    expect(await status(device.uid)).toBe("maintenance");
  });

  test("a heartbeat resolves the alert with the note auto, and the next silence opens another", async () => {
    const device = await online(100);
    await sweepOfflineDevices(now);
    await request("POST", `/fleet/devices/${device.uid}/heartbeat/`, { key: org.key, body: {} });
    expect(await queuedJobs(jobs.deviceRecovered, { deviceId: device.uid })).toHaveLength(1);
    await recoverDevice(org.uid, device.uid);
    const [first] = await listAlerts(device.uid);
    expect(first).toMatchObject({ status: "resolved", note: "auto", resolved_by: "muster" });

    await prisma.device.update({ where: { uid: device.uid }, data: { lastSeenAt: new Date(now.getTime() - 200_000) } });
    await sweepOfflineDevices(now);
    const alerts = await listAlerts(device.uid);
    expect(alerts.map((alert) => alert.status)).toEqual(["open", "resolved"]);
    await recoverDevice(org.uid, device.uid);
    expect((await listAlerts(device.uid))[0]?.status).toBe("open");
  });

  test("silences before the recovery is noticed are counted on one alert", async () => {
    const device = await online(100);
    await sweepOfflineDevices(now);
    await prisma.device.update({ where: { uid: device.uid }, data: { status: "online" } });
    await sweepOfflineDevices(now);
    expect(await listAlerts(device.uid)).toMatchObject([{ status: "open", occurrence_count: 2 }]);
  });

  test("an alert that was acknowledged, or resolved and reopened, is resolved by the recovery too", async () => {
    const device = await online(100);
    await sweepOfflineDevices(now);
    const [alert] = await listAlerts(device.uid);
    for (const action of ["acknowledge", "resolve", "reopen"]) {
      await request<AlertDetail>("POST", `/fleet/alerts/${alert?.uid}/${action}/`, { key: org.key, body: {} });
    }
    await prisma.device.update({ where: { uid: device.uid }, data: { status: "online" } });
    await recoverDevice(org.uid, device.uid);
    expect(await listAlerts(device.uid)).toMatchObject([
      { status: "resolved", note: "auto", acknowledged_by: org.owner.username },
    ]);
  });

  test("the rule's scope, actions and switch decide about the alert, never about the status", async () => {
    const mine = await makeOrganization();
    const rule = await builtin(mine);
    const channel = await makeChannel(mine, "webhook", { url: "https://example.com/hook" });
    const change = (data: object) => prisma.rule.update({ where: { uid: rule.uid }, data });
    await change({
      scope: { tags: ["prod"] },
      actions: [{ type: "notify", channel_id: channel.uid, severity: "critical" }],
    });
    const [prod, lab] = [await online(100, { tags: ["prod", "x"] }, mine), await online(100, { tags: ["lab"] }, mine)];
    await sweepOfflineDevices(now);
    expect([await status(prod.uid, mine.key), await status(lab.uid, mine.key)]).toEqual(["offline", "offline"]);
    expect(await listAlerts(prod.uid, mine.key)).toMatchObject([{ severity: "critical", delivery: "pending" }]);
    expect(await listAlerts(lab.uid, mine.key)).toEqual([]);

    const named = await online(100, {}, mine);
    await change({ scope: { device_ids: [named.uid] } });
    await sweepOfflineDevices(now);
    expect(await listAlerts(named.uid, mine.key)).toHaveLength(1);

    const grouped = await online(100, {}, mine);
    const body = { name: "hall 3", device_ids: [grouped.uid] };
    const group = await request("POST", "/fleet/groups/", { key: mine.key, body });
    await change({ scope: { group_ids: [group.body.uid] } });
    await sweepOfflineDevices(now);
    expect(await listAlerts(grouped.uid, mine.key)).toHaveLength(1);

    const off = await online(100, {}, mine);
    await change({ enabled: false, scope: {} });
    await sweepOfflineDevices(now);
    expect([await status(off.uid, mine.key), await listAlerts(off.uid, mine.key)]).toEqual(["offline", []]);
  });

  test("more devices than a batch holds all go offline, once each, with several workers at it", async () => {
    const mine = await makeOrganization();
    const device = await online(100, {}, mine);
    const row = await prisma.device.findUniqueOrThrow({ where: { uid: device.uid } });
    const { metadata: _m, metrics: _x, ...plain } = row;
    await prisma.device.createMany({
      data: Array.from({ length: 249 }, (_, n) => ({
        ...plain,
        uid: `${row.uid.slice(0, -3)}${String(n).padStart(3, "0")}`,
        tokenHash: `${row.uid} ${n}`,
      })).filter(({ uid }) => uid !== row.uid),
    });
    const counts = await Promise.all([sweepOfflineDevices(now), sweepOfflineDevices(now)]);
    const total = await prisma.device.count({ where: { organizationId: mine.uid } });
    expect(counts.reduce((a, b) => a + b, 0)).toBe(total);
    expect(await prisma.device.count({ where: { organizationId: mine.uid, status: "offline" } })).toBe(total);
    expect(await prisma.alert.count({ where: { organizationId: mine.uid } })).toBe(total);
    expect((await builtin(mine)).hitCount).toBe(BigInt(total));
  });
});

describe("a rule with a timeout of its own", () => {
  test("lets a device be silent for longer before it raises, once; the device is offline as ever", async () => {
    const longTimeout = await makeOrganization();
    const rule = await builtin(longTimeout);
    await prisma.rule.update({
      where: { uid: rule.uid },
      data: { condition: { type: "absence", topic: "heartbeat", timeout: "10m" } },
    });
    const [short, long] = [await online(120, {}, longTimeout), await online(601, {}, longTimeout)];
    await sweepOfflineDevices(now);
    expect([await status(short.uid, longTimeout.key), await status(long.uid, longTimeout.key)]).toEqual([
      "offline",
      "offline",
    ]);
    expect(await listAlerts(short.uid, longTimeout.key)).toEqual([]);
    const alerts = await listAlerts(long.uid, longTimeout.key);
    expect(alerts).toMatchObject([{ rule_id: rule.uid, triggered_at: new Date(now.getTime() - 1_000).toISOString() }]);
    expect(alerts[0]?.message).toContain("for 600 s");
    await sweepOfflineDevices(new Date(now.getTime() + 60_000));
    expect(await listAlerts(long.uid, longTimeout.key)).toHaveLength(1);
    await sweepOfflineDevices(new Date(now.getTime() + 480_000));
    expect(await listAlerts(short.uid, longTimeout.key)).toHaveLength(1);
  });
});
