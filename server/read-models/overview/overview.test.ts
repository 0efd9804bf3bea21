import { beforeAll, describe, expect, test } from "vitest";
import { prisma } from "@/server/platform/db";
import { devicesCsv } from "@/server/read-models/devices/devices-csv";
import { makeAlert } from "@/server/testing/alerts";
import { makeDevice, makeOrganization, makeRecording, type TestOrganization } from "@/server/testing/factories";
import { writeMetrics } from "@/server/testing/metric-rows";
import { createTrpcCaller } from "@/server/testing/requests";

let org: TestOrganization;
beforeAll(async () => {
  org = await makeOrganization();
});

const since = "2020-01-01T00:00:00Z";

describe("the overview", () => {
  test("counts devices by status, open alerts by severity and firing rules, without snoozed alerts", async () => {
    const place = await makeOrganization();
    const device = await makeDevice(place);
    await makeDevice(place);
    await createTrpcCaller(place).devices.update({ uid: device.uid, change: { status: "online" } });
    const { alertId } = await makeAlert(place, { device, severity: "critical" });
    await makeAlert(place, { device, severity: "info" });
    const tiles = await createTrpcCaller(place).overview.tiles({ since });
    expect(tiles).toMatchObject({
      devices: { online: 1, offline: 1, maintenance: 0 },
      alerts: { critical: 1, info: 1 },
    });
    expect(tiles.firing).toBeGreaterThan(0);
    await prisma.alert.update({ where: { uid: alertId }, data: { snoozedUntil: new Date("2999-01-01") } });
    expect((await createTrpcCaller(place).overview.tiles({ since })).alerts.critical).toBe(0);
  });

  test("recorded today is what was recorded today, not what was uploaded today", async () => {
    const place = await makeOrganization();
    const device = await makeDevice(place);
    const since = "2026-03-04T00:00:00Z";
    const record = (started: string, rest: object = {}) =>
      makeRecording(place, device.uid, { startedAt: new Date(started), sizeBytes: 1_000n, ...rest });
    await record("2026-03-04T10:00:00Z", { startNs: 0n, endNs: 3_600_000_000_000n });
    await record("2026-03-04T23:59:59Z", { status: "error" });
    // Uploaded now, but of another day: last week's, and one of a robot whose clock is ahead.
    await record("2026-02-26T10:00:00Z");
    await record("2026-03-05T00:00:00Z");
    expect((await createTrpcCaller(place).overview.tiles({ since })).recordings).toEqual({
      count: 2,
      failed: 1,
      hours: 1,
      bytes: 2_000,
    });
  });

  test("lists the recordings that need attention by when they began, whenever they were uploaded", async () => {
    const place = await makeOrganization();
    const device = await makeDevice(place);
    const make = (name: string, started: string, rest: object = {}) =>
      makeRecording(place, device.uid, { name, startedAt: new Date(started), ...rest });
    const newest = await make("newest", "2026-03-04T10:00:00Z");
    await make("failed", "2026-03-03T10:00:00Z", { status: "error", errorMessage: "cut off" });
    const oldest = await make("oldest", "2026-02-01T10:00:00Z");
    await make("fine", "2026-03-05T10:00:00Z");
    for (const { uid } of [oldest, newest, newest])
      await makeAlert(place, { device, recordingId: uid, severity: "error" });
    for (let day = 1; day < 6; day++) await make(`older ${day}`, `2026-01-0${day}T00:00:00Z`, { status: "error" });
    const { overview } = createTrpcCaller(place);
    const found = await overview.attention({});
    expect(found.map(({ name }) => name)).toEqual(["newest", "failed", "oldest", "older 5", "older 4", "older 3"]);
    expect(found[0]).toMatchObject({ worst: "error", open_alerts: 2 });
    expect(found[1]).toMatchObject({ status: "error", error_message: "cut off", worst: null });
    expect(await createTrpcCaller(await makeOrganization()).overview.attention({})).toEqual([]);
  });

  test("returns alerts over time without gaps, and the noisiest rules", async () => {
    const place = await makeOrganization();
    const device = await makeDevice(place);
    const { alertId } = await makeAlert(place, { device, severity: "warning" });
    await prisma.alert.update({ where: { uid: alertId }, data: { triggeredAt: new Date() } });
    const { buckets, rules } = await createTrpcCaller(place).overview.activity({ range: "24h" });
    expect(buckets).toHaveLength(24);
    expect(buckets.at(-1)).toMatchObject({ warning: 1, critical: 0 });
    expect(rules).toMatchObject([{ alerts: 1, devices: 1, worst: "warning" }]);
  });

  test("maps only devices with a valid location", async () => {
    const place = await makeOrganization();
    await makeDevice(place, { name: "here", metadata: { location: { lat: 53.5, lon: 10 } } });
    await makeDevice(place, { name: "unplaced", metadata: { location: { lat: "north", lon: 10 } } });
    expect(await createTrpcCaller(place).overview.map({})).toMatchObject([{ name: "here", lat: 53.5, lon: 10 }]);
  });

  test("finds devices by name and uid, with their state and the metric that is first for their type", async () => {
    const place = await makeOrganization();
    const call = createTrpcCaller(place);
    const [sending, silent] = [
      await makeDevice(place, { name: "arm c1", type: "arm" }),
      await makeDevice(place, { name: "ARM C2" }),
    ];
    await writeMetrics(sending.uid, [[Date.now(), { mode: "auto", battery: 0.05 }]]);
    const found = { uid: sending.uid, name: "arm c1", type: "arm", status: "offline", demo: false };
    const reading = { name: "battery", label: "Battery", text: "5 %", judgement: "critical" };
    expect(await call.overview.searchDevices({ text: " arm c" })).toEqual([
      { uid: silent.uid, name: "ARM C2", type: "unknown", status: "offline", demo: false, reading: null },
      { ...found, reading },
    ]);
    expect(await call.overview.searchDevices({ text: sending.uid })).toEqual([{ ...found, reading }]);
    await call.health.saveMeaning({ name: "mode", device_type: "arm", rank: 1 });
    await call.health.saveMeaning({ name: "battery", device_type: "arm", rank: 2 });
    expect(await call.overview.searchDevices({ text: "c1" })).toMatchObject([{ reading: { name: "mode" } }]);
    expect(await createTrpcCaller(await makeOrganization()).overview.searchDevices({ text: "arm c" })).toEqual([]);
  });

  test("finds rules and alerts by their text, of its own organization only", async () => {
    const device = await makeDevice(org, { name: "arm-of-search" });
    const { alertId } = await makeAlert(org, { device, severity: "error" });
    expect(
      (await createTrpcCaller(org).overview.searchAlerts({ text: "arm-of-search" })).map(({ uid }) => uid),
    ).toEqual([alertId]);
    expect(
      (await createTrpcCaller(org).overview.searchAlerts({ text: alertId.slice(0, 20) })).map(({ uid }) => uid),
    ).toContain(alertId);
    expect(await createTrpcCaller(await makeOrganization()).overview.searchAlerts({ text: "arm-of-search" })).toEqual(
      [],
    );
    expect(
      (
        await createTrpcCaller(org).overview.searchRules({
          text: "" + (await createTrpcCaller(org).rules.list({})).results[0]?.name,
        })
      ).length,
    ).toBeGreaterThan(0);
  });
});

describe("the device screens", () => {
  test("filter by any of several tags, firmware, open alerts and silence", async () => {
    const place = await makeOrganization();
    const a = await makeDevice(place, { name: "a", tags: ["red"], firmware_version: "1.0" });
    await makeDevice(place, { name: "b", tags: ["blue"], firmware_version: "2.0" });
    await makeDevice(place, { name: "c" });
    await makeAlert(place, { device: a, severity: "error" });
    const names = async (filters: Record<string, string>) =>
      (await createTrpcCaller(place).fleet.devices(filters)).results.map(({ name }) => name).sort();
    expect(await names({ any_tags: "red,blue" })).toEqual(["a", "b"]);
    expect(await names({ firmware: "2.0,none" })).toEqual(["b", "c"]);
    expect(await names({ open_alerts: "true" })).toEqual(["a"]);
    expect(await names({ open_alerts: "false" })).toEqual(["b", "c"]);
    await createTrpcCaller(place).devices.update({ uid: a.uid, change: { status: "online" } });
    expect(await names({ not_seen_for: "1h" })).toEqual(["b", "c"]);
    const lines: string[] = [];
    for await (const part of devicesCsv(place.ctx, { limit: 50, any_tags: ["red"] })) lines.push(part);
    expect(lines.join("").split("\r\n")).toHaveLength(3);
    expect(await createTrpcCaller(place).fleet.groups({ by: "tag" })).toHaveLength(3);
    expect((await createTrpcCaller(place).fleet.firmware({})).map(({ version }) => version)).toEqual([
      "",
      "1.0",
      "2.0",
    ]);
  });

  test("tag several devices in one call and return what changed", async () => {
    const [a, b] = [await makeDevice(org, { tags: ["x"] }), await makeDevice(org, { tags: ["y"] })];
    const changed = await createTrpcCaller(org).fleet.tag({ device_ids: [a.uid, b.uid], add: ["y"] });
    expect(changed).toEqual([{ uid: a.uid, before: ["x"] }]);
    const outsider = await makeDevice(await makeOrganization());
    await expect(createTrpcCaller(org).fleet.tag({ device_ids: [outsider.uid], add: ["y"] })).rejects.toMatchObject({
      code: "BAD_REQUEST",
    });
  });

  test("put devices into maintenance with a silence of the same duration, and log each change of status with its reason", async () => {
    const device = await makeDevice(org);
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const { silence_uid: silenceUid } = await createTrpcCaller(org).fleet.maintain({
      device_ids: [device.uid],
      until,
      reason: "Belt change",
    });
    expect((await createTrpcCaller(org).devices.get({ uid: device.uid })).status).toBe("maintenance");
    expect(await createTrpcCaller(org).silences.get({ uid: silenceUid })).toMatchObject({
      reason: "Belt change",
      matchers: { device_ids: [device.uid] },
    });
    await makeRecording(org, device.uid);
    const window = {
      uid: device.uid,
      from: new Date(Date.now() - 86_400_000).toISOString(),
      to: new Date(Date.now() + 60_000).toISOString(),
    };
    const { states } = await createTrpcCaller(org).fleet.timeline(window);
    expect(states.map(({ status }) => status)).toEqual(["maintenance"]);
    expect(states[0]?.reason).toContain("set by");
  });

  test("return which rules watch a device and why, and how its metadata changed", async () => {
    const device = await makeDevice(org, { tags: ["hall-7"], metadata: { site: "berlin" } });
    const { uid } = await createTrpcCaller(org).rules.create({
      name: "Hot",
      condition: { type: "threshold", topic: "/t", field: "x", operator: "gt", value: 1 },
      actions: [{ type: "flag_for_review" }],
      scope: { tags: ["hall-7"] },
    });
    const rules = await createTrpcCaller(org).fleet.rules({ uid: device.uid });
    expect(rules.find((rule) => rule.uid === uid)).toMatchObject({ why: "Tag hall-7", enabled: true });
    await createTrpcCaller(org).devices.update({
      uid: device.uid,
      change: { metadata: { site: "hamburg", slots: 4 } },
    });
    const [change] = await createTrpcCaller(org).fleet.metadataChanges({ uid: device.uid });
    expect(change?.changes).toEqual([
      { key: "site", before: "berlin", after: "hamburg" },
      { key: "slots", before: undefined, after: 4 },
    ]);
  });
});
