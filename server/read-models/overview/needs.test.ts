import { describe, expect, test } from "vitest";
import { prisma } from "@/server/platform/db";
import { newUid } from "@/server/platform/uid";
import { makeAlert } from "@/server/testing/alerts";
import { makeDevice, makeOrganization, makeRecording } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

describe("what needs somebody now", () => {
  test("is the worst rules first with their alerts counted, lost devices, and failed recordings", async () => {
    const place = await makeOrganization();
    const call = createTrpcCaller(place);
    const [a, b] = [await makeDevice(place, { name: "arm-a" }), await makeDevice(place, { name: "arm-b" })];
    await call.devices.update({ uid: a.uid, change: { status: "online" } });
    const first = await makeAlert(place, { device: a, severity: "warning" });
    await makeAlert(place, { device: a, severity: "info" });
    const worst = await makeAlert(place, { device: b, severity: "critical" });
    const failed = await makeRecording(place, a.uid, { status: "error", name: "Cut off", errorMessage: "No data" });
    await makeRecording(place, a.uid, { name: "Fine" });
    const needs = await call.overview.needs();
    expect(needs.alerts[0]).toMatchObject({ severity: "critical", alert_id: worst.alertId, device_name: "arm-b" });
    const shown = needs.alerts.reduce((sum, { count }) => sum + count, 0);
    expect(shown).toBe(3);
    expect(needs.offline).toMatchObject({ count: 1, devices: [{ uid: b.uid, name: "arm-b" }] });
    expect(needs.failed).toMatchObject({ count: 1, recordings: [{ uid: failed.uid, name: "Cut off" }] });

    await prisma.alert.update({ where: { uid: first.alertId }, data: { snoozedUntil: new Date("2999-01-01") } });
    await prisma.alert.update({ where: { uid: worst.alertId }, data: { status: "acknowledged" } });
    const rest = (await call.overview.needs()).alerts.reduce((sum, { count }) => sum + count, 0);
    expect(rest).toBe(1);
  });

  test("is nothing of another organization, and nothing of the demo fleet beside real devices", async () => {
    const [place, other] = [await makeOrganization(), await makeOrganization()];
    const device = await makeDevice(other);
    await makeAlert(other, { device, severity: "critical" });
    await makeRecording(other, device.uid, { status: "error" });
    const call = createTrpcCaller(place);
    await call.devices.register({ name: "robot of the demo", demo: true });
    expect((await call.overview.needs()).offline.count).toBe(1);
    await call.devices.update({ uid: (await makeDevice(place)).uid, change: { status: "online" } });
    expect(await call.overview.needs()).toMatchObject({
      alerts: [],
      offline: { count: 0, devices: [] },
      failed: { count: 0, recordings: [] },
    });
  });
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

test("a fleet of more than 200 devices is counted by state, and none of its devices is sent", async () => {
  const place = await makeOrganization();
  const call = createTrpcCaller(place);
  const charged = await makeDevice(place, { name: "amr-0", type: "amr" });
  await prisma.device.update({
    where: { uid: charged.uid },
    data: { metrics: { load: 3, battery: 0.42 }, status: "online" },
  });
  await makeAlert(place, { device: charged, severity: "error" });
  const small = await call.overview.fleet({ by: "type" });
  expect(small).toMatchObject({
    size: 1,
    blocks: [
      {
        counts: { error: 1 },
        cells: [{ name: "amr-0", reading: { label: "Battery", text: "42 %", judgement: "good" } }],
      },
    ],
  });

  await prisma.device.createMany({
    data: Array.from({ length: 210 }, (_, at) => ({
      uid: newUid("device"),
      organizationId: place.uid,
      name: `arm-${at}`,
      type: "arm",
      status: at < 10 ? "maintenance" : "offline",
      tokenHash: `${place.uid} ${at}`,
      tokenLastFour: "0000",
    })),
  });
  const large = await call.overview.fleet({ by: "type" });
  expect(large.size).toBe(211);
  expect(large.blocks[0]).toMatchObject({ name: "arm", total: 210, counts: { maintenance: 10, offline: 200 } });
  expect(large.blocks.flatMap(({ cells }) => cells)).toEqual([]);
});
