import { beforeAll, describe, expect, test } from "vitest";
import { nsFromMs } from "@/domain/time/nanoseconds";
import { createRule } from "@/server/features/rules/service";
import { prisma } from "@/server/platform/db";
import type { DeviceActivity, FleetHealth, OpenAlert } from "@/server/read-models/fleet/resource";
import { makeAlert } from "@/server/testing/alerts";
import { makeDevice, makeOrganization, makeRecording, type TestOrganization } from "@/server/testing/factories";
import { epoch, jsonRecording, processedRecording, second, temperatures } from "@/server/testing/processing";
import { request } from "@/server/testing/requests";

/** The summaries that answer an operator's question at once. */

const hour = 3_600_000;
const ago = (hours: number) => nsFromMs(Date.now() - hours * hour);

const get = async <T>(org: TestOrganization, path: string): Promise<T> => {
  const { status, body } = await request<T>("GET", path, { key: org.key });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const report = (org: TestOrganization, uid: string, status: string) =>
  request("PATCH", `/fleet/devices/${uid}/`, { key: org.key, body: { status } });

describe("the health of the fleet", () => {
  test("counts devices by status and open alerts by severity, without silenced and snoozed ones", async () => {
    const org = await makeOrganization();
    const [one, two] = [await makeDevice(org), await makeDevice(org)];
    await report(org, one.uid, "online");
    await makeAlert(org, { device: one, severity: "critical" });
    const { alertId } = await makeAlert(org, { device: two, severity: "error" });
    await prisma.alert.update({ where: { uid: alertId }, data: { snoozedUntil: new Date("2999-01-01") } });
    await makeRecording(org, one.uid);
    await makeRecording(org, one.uid, { status: "error" });
    expect(await get<FleetHealth>(org, "/fleet/health/")).toMatchObject({
      demo_only: false,
      devices: { online: 1, offline: 1, maintenance: 0 },
      open_alerts: { info: 0, warning: 0, error: 0, critical: 1 },
      recordings: { count: 2, failed: 1 },
    });
  });

  test("lists what is offline, the last seen first, since when and with its open alerts", async () => {
    const org = await makeOrganization();
    const never = await makeDevice(org, { name: "never seen" });
    const [early, late] = [await makeDevice(org, { name: "early" }), await makeDevice(org, { name: "late" })];
    for (const { uid } of [early, late]) {
      await request("POST", `/fleet/devices/${uid}/heartbeat/`, { key: org.key, body: {} });
      await report(org, uid, "offline");
    }
    await makeAlert(org, { device: late, severity: "error" });
    const { offline } = await get<FleetHealth>(org, "/fleet/health/");
    expect(offline.map(({ name }) => name)).toEqual(["late", "early", "never seen"]);
    const since = expect.stringMatching(/Z$/);
    expect(offline[0]).toEqual({
      uid: late.uid,
      name: "late",
      offline_since: since,
      last_seen_at: since,
      open_alerts: 1,
      worst_severity: "error",
    });
    expect(offline[2]).toMatchObject({ uid: never.uid, offline_since: null, last_seen_at: null, worst_severity: null });
  });

  test("names the rules and devices with more alerts than in the period before, and no others", async () => {
    const org = await makeOrganization();
    const [noisy, calm] = [await makeDevice(org, { name: "noisy" }), await makeDevice(org, { name: "calm" })];
    const [rising, falling] = [
      { uid: "rul_0199c0de-7a11-7000-8000-00000000000a", name: "rising", version: 1 },
      { uid: "rul_0199c0de-7a11-7000-8000-00000000000b", name: "falling", version: 1 },
    ];
    for (const [rule, device, at] of [
      [rising, noisy, 30],
      [rising, noisy, 2],
      [rising, noisy, 1],
      [falling, calm, 30],
      [falling, calm, 29],
      [falling, calm, 1],
    ] as const)
      await makeAlert(org, { rule, device, triggeredNs: ago(at), severity: at === 2 ? "critical" : "info" });
    const { worse } = await get<FleetHealth>(org, "/fleet/health/?hours=24");
    const rise = { alerts: 2, before: 1, worst_severity: "critical" };
    expect(worse).toEqual({
      rules: [{ uid: rising.uid, name: "rising", ...rise }],
      devices: [{ uid: noisy.uid, name: "noisy", ...rise }],
    });
    expect((await get<FleetHealth>(org, "/fleet/health/?hours=48")).worse.rules).toHaveLength(2);
  });
});

describe("open alerts with their reasons", () => {
  let org: TestOrganization;
  let recording: string;
  beforeAll(async () => {
    org = await makeOrganization();
    const device = await makeDevice(org, { name: "picker-7" });
    await createRule(org.ctx, {
      name: "Motor too hot",
      condition: { type: "threshold", topic: "/motor/temp", field: "data.value", operator: "gt", value: 80 },
      actions: [{ type: "flag_for_review", severity: "error" }],
    });
    const bytes = await jsonRecording({ "/motor/temp": temperatures([79, 81.5, 82, 79]) });
    recording = await processedRecording(org, device.uid, [bytes], { name: "night run" });
    await makeAlert(org, { severity: "critical", evidence: { battery: 4 } });
    await makeAlert(org, { severity: "info", device });
  });

  test("have the values that triggered them, their rule, device and recording; the worst first", async () => {
    const { results } = await get<{ results: OpenAlert[] }>(org, "/fleet/open-alerts/");
    expect(results.map(({ severity }) => severity)).toEqual(["critical", "error", "info"]);
    expect(results[0]).toMatchObject({ why: ["battery: 4"], condition_text: null, device_status: null });
    expect(results[1]).toMatchObject({
      rule_name: "Motor too hot",
      condition_text: "/motor/temp data.value > 80",
      why: ["data.value of /motor/temp > 80: was 81.5 at 2025-10-09T08:53:21.000Z"],
      device_name: "picker-7",
      device_status: "offline",
      recording_id: recording,
      recording_name: "night run",
    });
  });

  test("are paged and filtered like every list", async () => {
    const page = await get<{ results: OpenAlert[]; next: string }>(org, "/fleet/open-alerts/?limit=2");
    const rest = await get<{ results: OpenAlert[]; next: null }>(org, page.next);
    expect([page.results.length, rest.results.map(({ severity }) => severity), rest.next]).toEqual([2, ["info"], null]);
    const narrowed = await get<{ results: OpenAlert[] }>(org, "/fleet/open-alerts/?severity=error,info&q=picker");
    expect(narrowed.results.map(({ severity }) => severity)).toEqual(["error", "info"]);
  });
});

describe("the activity of a device", () => {
  const at = (seconds: number) => new Date(Number((epoch + BigInt(seconds) * second) / 1_000_000n));
  let org: TestOrganization;
  let device: string;
  beforeAll(async () => {
    org = await makeOrganization();
    device = (await makeDevice(org, { name: "picker-7", type: "arm" })).uid;
    const recording = await makeRecording(org, device, {
      name: "night run",
      startedAt: at(0),
      endedAt: at(600),
      startNs: epoch,
      endNs: epoch + 600n * second,
    });
    for (const seconds of [10, 300, 590]) {
      const body = { recording_id: recording.uid, type: "anomaly", label: `at ${seconds}`, timestamp: at(seconds) };
      await request("POST", "/fleet/events/", { key: org.key, body });
    }
    const row = { organizationId: org.uid, deviceId: device };
    await prisma.deviceStatusChange.createMany({
      data: [
        { ...row, uid: "before", status: "online", at: at(-7_200) },
        { ...row, uid: "during", status: "offline", reason: "no heartbeat", at: at(320) },
      ],
    });
    await makeAlert(org, { device: { uid: device, name: "picker-7" }, triggeredNs: epoch + 301n * second });
  });
  const around = (query: string) => `/fleet/device-activity/?around=${at(300).toISOString()}&${query}`;

  test("has its states, recordings, events and alerts around the time, by its name", async () => {
    const activity = await get<DeviceActivity>(org, around("device=picker-7&minutes=2"));
    expect(activity).toMatchObject({
      device: { uid: device, name: "picker-7", type: "arm", status: "offline" },
      from: at(180).toISOString(),
      to: at(420).toISOString(),
      states: [
        { status: "online", at: at(-7_200).toISOString() },
        { status: "offline", reason: "no heartbeat", at: at(320).toISOString() },
      ],
      recordings: [{ name: "night run", from: at(0).toISOString(), to: at(600).toISOString() }],
      events: [{ label: "at 300", at: at(300).toISOString() }],
      alerts: [{ rule_name: "Motor too hot", at: at(301).toISOString() }],
      capped: false,
    });
  });

  test("has no state where none is known, such as before the device was registered", async () => {
    const { states } = await get<DeviceActivity>(
      org,
      "/fleet/device-activity/?device=picker-7&around=2020-01-01T00:00:00Z",
    );
    expect(states).toEqual([]);
  });

  test("is limited to what is nearest to the time", async () => {
    const all = await get<DeviceActivity>(org, around(`device=${device}`));
    expect(all.events.map(({ label }) => label)).toEqual(["at 10", "at 300", "at 590"]);
    const few = await get<DeviceActivity>(org, around(`device=${device}&limit=1`));
    expect([few.events.map(({ label }) => label), few.capped]).toEqual([["at 300"], true]);
  });

  test("asks which device is meant when several have the name, and says when none has", async () => {
    const twins = [await makeDevice(org, { name: "twin" }), await makeDevice(org, { name: "twin" })];
    const several = await request<{ device: string[] }>("GET", around("device=twin"), { key: org.key });
    expect(several.status).toBe(400);
    for (const { uid } of twins) expect(several.body.device[0]).toContain(uid);
    const foreign = await makeDevice(await makeOrganization(), { name: "elsewhere" });
    for (const name of ["elsewhere", foreign.uid]) {
      const none = await request("GET", around(`device=${name}`), { key: org.key });
      expect([none.status, none.body]).toEqual([400, { device: ["No device has this uid or name."] }]);
    }
  });
});
