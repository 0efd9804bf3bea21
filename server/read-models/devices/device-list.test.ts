import { describe, expect, test } from "vitest";
import { nsFromMs } from "@/domain/time/nanoseconds";
import { prisma } from "@/server/platform/db";
import { makeAlert } from "@/server/testing/alerts";
import { makeDevice, makeOrganization, makeRecording } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

const [org, other] = await Promise.all([makeOrganization(), makeOrganization()]);

const findRow = async (uid: string) =>
  (await createTrpcCaller(org).fleet.devices({})).results.find((device) => device.uid === uid);

test("the alerts of a device are listed by when they triggered, also where its recordings came in another order", async () => {
  const device = await makeDevice(org);
  const raise = async (hours: number) =>
    (await makeAlert(org, { device, triggeredNs: nsFromMs(Date.UTC(2026, 2, 1) + hours * 3_600_000) })).alertId;
  const [second, first, third] = [await raise(20), await raise(3), await raise(40)];
  await makeAlert(org, { device: await makeDevice(org) });
  const { fleet } = createTrpcCaller(org);
  const page = await fleet.alerts({ uid: device.uid, limit: 2 });
  expect(page.results.map(({ uid }) => uid)).toEqual([third, second]);
  const rest = await fleet.alerts({ uid: device.uid, limit: 2, cursor: page.next ?? "" });
  expect(rest.results.map(({ uid }) => uid)).toEqual([first]);
  expect((await createTrpcCaller(other).fleet.alerts({ uid: device.uid })).results).toEqual([]);
});

describe("the device list of the dashboard", () => {
  test("includes a device without alerts and recordings", async () => {
    const { uid } = await makeDevice(org);
    expect(await findRow(uid)).toMatchObject({
      open_alerts: 0,
      worst_severity: null,
      open_by_severity: { info: 0, warning: 0, error: 0, critical: 0 },
      last_recording_at: null,
    });
  });

  test("counts open alerts only, by severity, and returns the highest", async () => {
    const device = await makeDevice(org);
    const raise = (severity: "info" | "warning" | "critical") => makeAlert(org, { device, severity });
    await raise("info");
    await raise("warning");
    const worst = await raise("critical");
    await raise("info");
    expect(await findRow(device.uid)).toMatchObject({
      open_alerts: 4,
      worst_severity: "critical",
      open_by_severity: { info: 2, warning: 1, error: 0, critical: 1 },
    });
    await createTrpcCaller(org).alerts.resolve({ uid: worst.alertId });
    expect(await findRow(device.uid)).toMatchObject({ open_alerts: 3, worst_severity: "warning" });
    await prisma.alert.updateMany({
      where: { deviceId: device.uid, severity: "warning" },
      data: { snoozedUntil: new Date("2999-01-01") },
    });
    expect(await findRow(device.uid)).toMatchObject({ open_alerts: 2, worst_severity: "info" });
  });

  test("returns when the latest recording began, in whatever order they were uploaded", async () => {
    const device = await makeDevice(org);
    await makeRecording(org, device.uid, { startedAt: new Date("2026-03-02T10:00:00Z") });
    await makeRecording(org, device.uid, { startedAt: new Date("2026-03-01T10:00:00Z") });
    expect((await findRow(device.uid))?.last_recording_at).toBe("2026-03-02T10:00:00.000Z");
  });

  test("filters and pages like the API's list", async () => {
    const fleet = await makeOrganization();
    for (const name of ["a", "b", "c"]) await makeDevice(fleet, { name, type: name === "b" ? "drone" : "arm" });
    const first = await createTrpcCaller(fleet).fleet.devices({ type: "arm", limit: 1 });
    expect(first.results.map(({ name }) => name)).toEqual(["c"]);
    const second = await createTrpcCaller(fleet).fleet.devices({ type: "arm", limit: 1, cursor: first.next ?? "" });
    expect([second.results.map(({ name }) => name), second.next]).toEqual([["a"], null]);
  });

  test("returns each type and tag in use once, in order, of its own organization only", async () => {
    const fleet = await makeOrganization();
    await makeDevice(fleet, { type: "drone", tags: ["hall-2", "blue"] });
    await makeDevice(fleet, { type: "arm", tags: ["blue"] });
    await makeDevice(fleet, { type: "arm" });
    await makeDevice(other, { type: "foreign", tags: ["foreign"] });
    expect(await createTrpcCaller(fleet).devices.vocabulary()).toEqual({
      types: ["arm", "drone"],
      tags: ["blue", "hall-2"],
      firmware: [],
    });
    expect(await createTrpcCaller(await makeOrganization()).devices.vocabulary()).toEqual({
      types: [],
      tags: [],
      firmware: [],
    });
  });
});
