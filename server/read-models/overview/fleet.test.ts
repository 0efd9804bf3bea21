import { describe, expect, test } from "vitest";
import { prisma } from "@/server/platform/db";
import { newUid } from "@/server/platform/uid";
import { makeAlert } from "@/server/testing/alerts";
import { makeDevice, makeOrganization, makeRecording, type TestOrganization } from "@/server/testing/factories";
import { writeMetrics } from "@/server/testing/metric-rows";
import { createTrpcCaller } from "@/server/testing/requests";

const hour = 3_600_000;

async function makeRobot(
  org: TestOrganization,
  name: string,
  status = "online",
): Promise<{ uid: string; name: string }> {
  const { uid } = await makeDevice(org, { name, type: "arm" });
  await prisma.device.update({ where: { uid }, data: { status, lastSeenAt: new Date(Date.now() - hour) } });
  return { uid, name };
}

const setAlert = (uid: string, data: Parameters<typeof prisma.alert.update>[0]["data"]) =>
  prisma.alert.update({ where: { uid }, data });

describe("the fleet by robot", () => {
  test("is ranked by the worst open alert, then metrics out of range, then offline, then noise; others are counted", async () => {
    const org = await makeOrganization();
    const call = createTrpcCaller(org);
    await makeRobot(org, "fine");
    await makeRobot(org, "in repair", "maintenance");
    const loud = await makeRobot(org, "loud and lost", "offline");
    await makeRobot(org, "lost", "offline");
    const warm = await makeRobot(org, "warm");
    const empty = await makeRobot(org, "empty");
    const critical = await makeRobot(org, "critical");
    const warned = await makeRobot(org, "warned");
    await writeMetrics(warm.uid, [[Date.now(), { battery: 0.9, motor: { temperature_c: 75 } }]]);
    await writeMetrics(empty.uid, [[Date.now(), { battery: 0.04, cpu: 0.5 }]]);
    await makeAlert(org, { device: warned, severity: "warning" });
    await makeAlert(org, { device: critical, severity: "critical" });
    const { alertId } = await makeAlert(org, { device: loud, severity: "critical" });
    await setAlert(alertId, { status: "resolved" });

    const fleet = await call.overview.fleet({});
    expect(fleet).toMatchObject({ size: 8, fine: 2, maintenance: 1, groups: [], more_groups: 0 });
    expect(fleet.robots.map(({ name }) => name)).toEqual([
      ...["critical", "warned", "empty", "warm", "loud and lost", "lost"],
    ]);
    const readings = fleet.robots.map(({ reading }) => reading && [reading.label, reading.text, reading.judgement]);
    expect(readings.slice(2, 4)).toEqual([
      ["Battery", "4 %", "critical"],
      [expect.stringMatching(/temperature/i), "75 °C", "warning"],
    ]);
    const fine = await call.overview.robots({ fine: true });
    expect(fine.results.map(({ name }) => name)).toEqual(["fine", "in repair"]);

    // What an organization says about a metric holds for the rank, too.
    await call.health.saveMeaning({ name: "battery", bounds: { warning_min: 0.01 } });
    expect((await call.overview.robots({ fine: true })).results.map(({ name }) => name)).toContain("empty");
  });

  test("says of each the worst rules with their newest alert, the alerts by severity, the last run and a week", async () => {
    const org = await makeOrganization();
    const call = createTrpcCaller(org);
    const device = await makeRobot(org, "arm");
    const rules = ["Straining", "Motor overheating", "Too fast"].map((name) => ({
      ...{ uid: newUid("rule"), name, version: 1 },
    }));
    const [straining, overheating, fast] = rules;
    const now = Date.now();
    const raise = async (
      rule: (typeof rules)[number] | undefined,
      severity: "critical" | "error" | "info",
      at: number,
    ) => {
      const { alertId } = await makeAlert(org, { device, severity, ...(rule && { rule }) });
      await setAlert(alertId, { triggeredAt: new Date(at) });
      return alertId;
    };
    await raise(fast, "info", now - 2 * hour);
    const strain = await raise(straining, "error", now - 72 * hour);
    await raise(overheating, "critical", now - 80 * hour);
    const heat = await raise(overheating, "critical", now - 8 * hour);
    await setAlert(await raise(straining, "critical", now - hour), { snoozedUntil: new Date("2999-01-01") });
    await makeRecording(org, device.uid, { startedAt: new Date(now - 30 * hour) });
    const run = await makeRecording(org, device.uid, { startedAt: new Date(now - 9 * hour) });

    const [row] = (await call.overview.fleet({})).robots;
    expect(row).toMatchObject({
      worst: "critical",
      open_alerts: 4,
      open_by_severity: { critical: 2, error: 1, warning: 0, info: 1 },
      more_rules: 1,
      reading: null,
      last_run: { recording_id: run.uid, started_at: new Date(now - 9 * hour).toISOString() },
    });
    expect(row?.rules).toEqual([
      {
        ...{ rule_id: overheating?.uid, name: "Motor overheating", severity: "critical", count: 2, alert_id: heat },
        triggered_at: new Date(now - 8 * hour).toISOString(),
      },
      {
        ...{ rule_id: straining?.uid, name: "Straining", severity: "error", count: 1, alert_id: strain },
        triggered_at: new Date(now - 72 * hour).toISOString(),
      },
    ]);
    // By half a day: an hour, two and eight hours ago, then three days, then 80 hours.
    expect(row?.week).toEqual([0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 3]);
  });

  test("is paged by rank, and a robot that becomes worse between two pages is neither repeated nor lost", async () => {
    const org = await makeOrganization();
    const call = createTrpcCaller(org);
    for (const name of ["e", "d", "c", "b", "a"]) await makeRobot(org, name, "offline");
    const first = await call.overview.robots({ fine: false, limit: 2 });
    expect(first.results.map(({ name }) => name)).toEqual(["a", "b"]);
    const d = await prisma.device.findFirstOrThrow({ where: { organizationId: org.uid, name: "d" } });
    await makeAlert(org, { device: d, severity: "critical" });
    const second = await call.overview.robots({ fine: false, limit: 2, cursor: first.next ?? "" });
    expect([second.results.map(({ name }) => name), second.next]).toEqual([["c", "e"], null]);
    const back = await call.overview.robots({ fine: false, limit: 2, cursor: second.previous ?? "" });
    expect(back.results.map(({ name }) => name)).toEqual(["a", "b"]);
    await expect(call.overview.robots({ fine: true, cursor: first.next ?? "" })).rejects.toThrow("Invalid cursor");
  });

  test("is nothing of another organization", async () => {
    const [org, other] = [await makeOrganization(), await makeOrganization()];
    const device = await makeRobot(other, "theirs", "offline");
    await makeAlert(other, { device, severity: "critical" });
    const group = await createTrpcCaller(other).groups.create({ name: "Theirs", device_ids: [device.uid] });
    const call = createTrpcCaller(org);
    expect(await call.overview.fleet({})).toMatchObject({ size: 0, fine: 0, robots: [] });
    expect((await call.overview.robots({ group: group.uid, fine: false })).results).toEqual([]);
  });
});

test("a fleet of more than 60 robots is groups, the worst first, that open to their robots", async () => {
  const org = await makeOrganization();
  const call = createTrpcCaller(org);
  await prisma.device.createMany({
    data: Array.from({ length: 59 }, (_, at) => ({
      ...{ uid: newUid("device"), organizationId: org.uid, name: `amr-${String(at).padStart(2, "0")}`, type: "amr" },
      ...{ status: at === 0 ? "offline" : "online", tokenHash: `${org.uid} ${at}`, tokenLastFour: "0000" },
    })),
  });
  const sick = await makeRobot(org, "arm-sick");
  expect((await call.overview.fleet({})).groups).toEqual([]);
  const worst = await makeRobot(org, "arm-worst");
  await makeAlert(org, { device: worst, severity: "error" });
  await writeMetrics(sick.uid, [[Date.now(), { battery: 0.04 }]]);
  const { uid: site } = await call.groups.create({ name: "Berlin" });
  const { uid: hall } = await call.groups.create({ name: "Hall 1", parent_id: site, device_ids: [sick.uid] });
  const amrs = await prisma.device.findMany({ where: { organizationId: org.uid, name: { in: ["amr-01", "amr-02"] } } });
  const { uid: line } = await call.groups.create({
    ...{ name: "Line", device_ids: [worst.uid, sick.uid, ...amrs.map(({ uid }) => uid)] },
  });

  const fleet = await call.overview.fleet({});
  expect(fleet).toMatchObject({ size: 61, robots: [], more_groups: 0 });
  expect(fleet.groups).toEqual([
    { uid: line, name: "Line", path: "", total: 4, fine: 2, counts: { error: 1, unhealthy: 1, online: 2 } },
    { uid: hall, name: "Hall 1", path: "Berlin", total: 1, fine: 0, counts: { unhealthy: 1 } },
    { uid: null, name: "", path: "", total: 57, fine: 56, counts: { offline: 1, online: 56 } },
  ]);
  const names = async (group: string, fine: boolean) =>
    (await call.overview.robots({ group, fine, limit: 2 })).results.map(({ name }) => name);
  expect(await names(line, false)).toEqual(["arm-worst", "arm-sick"]);
  expect(await names(line, true)).toEqual(["amr-01", "amr-02"]);
  expect([await names("none", false), await names("none", true)]).toEqual([["amr-00"], ["amr-03", "amr-04"]]);
});
