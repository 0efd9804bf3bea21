import { beforeAll, describe, expect, test, vi } from "vitest";
import { recoverDevice, recoverDevices, sweepOfflineDevices } from "@/server/features/alerts/offline-service";
import type { AlertDetail, AlertResource } from "@/server/features/alerts/resource";
import type { DeviceResource } from "@/server/features/devices/resource";
import { prisma } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import type { Page } from "@/server/platform/pagination";
import { onChange } from "@/server/platform/realtime/changes";
import { makeChannel } from "@/server/testing/alerts";
import { startListening } from "@/server/testing/changes";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { queuedJobs } from "@/server/testing/queued-jobs";
import { request } from "@/server/testing/requests";

let org: TestOrganization;
beforeAll(async () => {
  org = await makeOrganization();
});

/** Creates an online device that was last seen `secondsAgo` before `now`. */
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
  prisma.rule.findFirstOrThrow({ where: { organizationId: organization.uid, builtin: true, live: false } });

describe("silent devices", () => {
  test("a device silent for 90 s goes offline with one alert of the built-in rule; one seen since does not", async () => {
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

  test("a device in maintenance stays in maintenance", async () => {
    const device = await online(1_000);
    await prisma.device.update({ where: { uid: device.uid }, data: { status: "maintenance" } });
    await sweepOfflineDevices(now);
    expect(await status(device.uid)).toBe("maintenance");
  });

  test("a heartbeat resolves the alert with the note `auto`, and the next silence opens another", async () => {
    const device = await online(100);
    await sweepOfflineDevices(now);
    await request("POST", `/fleet/devices/${device.uid}/heartbeat/`, { key: org.key, body: {} });
    expect(await queuedJobs(jobs.devicesRecovered, { deviceIds: [device.uid] })).toHaveLength(1);
    await recoverDevices(org.uid, [device.uid]);
    const [first] = await listAlerts(device.uid);
    expect(first).toMatchObject({ status: "resolved", note: "auto", resolved_by: "muster" });

    await prisma.device.update({ where: { uid: device.uid }, data: { lastSeenAt: new Date(now.getTime() - 200_000) } });
    await sweepOfflineDevices(now);
    const alerts = await listAlerts(device.uid);
    expect(alerts.map((alert) => alert.status)).toEqual(["open", "resolved"]);
    await recoverDevice(org.uid, device.uid);
    expect((await listAlerts(device.uid))[0]?.status).toBe("open");
  });

  test("silences before the recovery is recorded are counted on one alert", async () => {
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

  test("the rule's scope, actions and switch affect the alert, not the device's status", async () => {
    const ownOrg = await makeOrganization();
    const rule = await builtin(ownOrg);
    const channel = await makeChannel(ownOrg, "webhook", { url: "https://example.com/hook" });
    const change = (data: object) => prisma.rule.update({ where: { uid: rule.uid }, data });
    await change({
      scope: { tags: ["prod"] },
      actions: [{ type: "notify", channel_id: channel.uid, severity: "critical" }],
    });
    const [prod, lab] = [
      await online(100, { tags: ["prod", "x"] }, ownOrg),
      await online(100, { tags: ["lab"] }, ownOrg),
    ];
    await sweepOfflineDevices(now);
    expect([await status(prod.uid, ownOrg.key), await status(lab.uid, ownOrg.key)]).toEqual(["offline", "offline"]);
    expect(await listAlerts(prod.uid, ownOrg.key)).toMatchObject([{ severity: "critical", delivery: "pending" }]);
    expect(await listAlerts(lab.uid, ownOrg.key)).toEqual([]);

    const named = await online(100, {}, ownOrg);
    await change({ scope: { device_ids: [named.uid] } });
    await sweepOfflineDevices(now);
    expect(await listAlerts(named.uid, ownOrg.key)).toHaveLength(1);

    const grouped = await online(100, {}, ownOrg);
    const body = { name: "hall 3", device_ids: [grouped.uid] };
    const group = await request("POST", "/fleet/groups/", { key: ownOrg.key, body });
    await change({ scope: { group_ids: [group.body.uid] } });
    await sweepOfflineDevices(now);
    expect(await listAlerts(grouped.uid, ownOrg.key)).toHaveLength(1);

    const inner = await online(100, {}, ownOrg);
    const line = { name: "line 1", device_ids: [inner.uid], parent_id: group.body.uid };
    await request("POST", "/fleet/groups/", { key: ownOrg.key, body: line });
    await sweepOfflineDevices(now);
    expect(await listAlerts(inner.uid, ownOrg.key)).toHaveLength(1);

    const off = await online(100, {}, ownOrg);
    await change({ enabled: false, scope: {} });
    await sweepOfflineDevices(now);
    expect([await status(off.uid, ownOrg.key), await listAlerts(off.uid, ownOrg.key)]).toEqual(["offline", []]);
  });

  test("more devices than a batch holds go offline once each, with concurrent sweeps", async () => {
    const ownOrg = await makeOrganization();
    const device = await online(100, {}, ownOrg);
    const row = await prisma.device.findUniqueOrThrow({ where: { uid: device.uid } });
    const { metadata: _m, metrics: _x, number: _n, ...plain } = row;
    await prisma.device.createMany({
      data: Array.from({ length: 1_100 }, (_, n) => ({
        ...plain,
        uid: `${row.uid.slice(0, -4)}${String(n).padStart(4, "0")}`,
        tokenHash: `${row.uid} ${n}`,
      })).filter(({ uid }) => uid !== row.uid),
    });
    const stopListening = await startListening();
    const changes: string[] = [];
    const unsubscribe = onChange(ownOrg.uid, { onChange: ({ kind }) => void changes.push(kind), onGap: () => {} });
    const counts = await Promise.all([sweepOfflineDevices(now), sweepOfflineDevices(now)]);
    const ofOrg = { where: { organizationId: ownOrg.uid } };
    const total = await prisma.device.count(ofOrg);
    expect(counts.reduce((a, b) => a + b, 0)).toBe(total);
    expect(await prisma.device.count({ where: { organizationId: ownOrg.uid, status: "offline" } })).toBe(total);
    expect(await prisma.alert.count({ where: { organizationId: ownOrg.uid } })).toBe(total);
    expect((await builtin(ownOrg)).hitCount).toBe(BigInt(total));
    for (const action of ["device.status_changed", "alert.triggered"]) {
      const entries = await prisma.auditEntry.findMany({ where: { organizationId: ownOrg.uid, action } });
      expect(new Set(entries.map(({ targetId }) => targetId)).size).toBe(total);
      expect(entries).toHaveLength(total);
    }
    expect(await prisma.deviceStatusChange.count(ofOrg)).toBe(total);
    // One notification for each kind and batch, not one for each device.
    await vi.waitFor(() => expect(new Set(changes)).toEqual(new Set(["device", "alert"])), { timeout: 60_000 });
    expect(changes.length).toBeLessThan(20);
    unsubscribe();
    await stopListening();
  });
});

describe("a rule with its own timeout", () => {
  test("raises once, after its timeout; the device is offline after 90 s all the same", async () => {
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
