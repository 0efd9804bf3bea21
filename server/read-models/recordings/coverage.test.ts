import { beforeAll, describe, expect, test } from "vitest";
import { nsFromMs } from "@/domain/time/nanoseconds";
import { makeAlert } from "@/server/testing/alerts";
import { makeDevice, makeOrganization, makeRecording, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

const hourMs = 3_600_000;
const monday = Date.UTC(2026, 10, 23);
const at = (hours: number) => new Date(monday + hours * hourMs);
const bounds = Array.from({ length: 8 }, (_, day) => at(day * 24).toISOString());

let org: TestOrganization;
let arm: Awaited<ReturnType<typeof makeDevice>>;
beforeAll(async () => {
  org = await makeOrganization();
  await makeDevice(org, { name: "AMR 03" });
  arm = await makeDevice(org, { name: "Arm C1" });
  const record = (from: number, to: number) => makeRecording(org, arm.uid, { startedAt: at(from), endedAt: at(to) });
  // Before the window, over its beginning, over midnight, and two over each other.
  await record(-40, -30);
  await record(-2, 3);
  await record(20, 28);
  await record(50, 54);
  await record(52, 55);
  await record(7 * 24, 7 * 24 + 1);
  const raise = (hours: number, severity: "critical" | "warning") =>
    makeAlert(org, { device: arm, severity, triggeredNs: nsFromMs(at(hours)) });
  await raise(-1, "critical");
  await raise(21, "warning");
  await raise(22, "critical");
  await raise(100, "warning");
});

describe("the coverage calendar", () => {
  test("has the hours that recordings cover on each day, each once, and the alerts with the worst severity", async () => {
    const { results } = await createTrpcCaller(org).recordings.coverage({ bounds });
    expect(results.map(({ name }) => name)).toEqual(["Arm C1", "AMR 03"]);
    expect(results[1]?.days).toEqual([]);
    expect(results[0]?.days).toEqual([
      { day: 0, seconds: 7 * 3600, alerts: 2, worst_severity: "critical" },
      { day: 1, seconds: 4 * 3600, alerts: 0, worst_severity: null },
      { day: 2, seconds: 5 * 3600, alerts: 0, worst_severity: null },
      { day: 4, seconds: 0, alerts: 1, worst_severity: "warning" },
    ]);
  });

  test("counts on each day exactly what the list of recordings finds for it", async () => {
    const call = createTrpcCaller(org).recordings;
    const [{ days } = { days: [] }] = (await call.coverage({ bounds, device_id: arm.uid })).results;
    for (let day = 0; day < 7; day++) {
      const { results } = await call.overview({ device_id: arm.uid, covers: `${bounds[day]}/${bounds[day + 1]}` });
      const isCovered = days.some((each) => each.day === day && each.seconds > 0);
      expect([day, results.length > 0]).toEqual([day, isCovered]);
    }
  });

  test("has days of 23 and 25 hours, but nothing that is no day", async () => {
    const call = createTrpcCaller(org).recordings;
    const { results } = await call.coverage({ bounds: [at(0), at(25), at(48)].map((each) => each.toISOString()) });
    expect(results[0]?.days.map(({ seconds }) => seconds / 3600)).toEqual([8, 3]);
    for (const wrong of [[bounds[1], bounds[0]], [bounds[0], bounds[2]], [bounds[0]]])
      await expect(call.coverage({ bounds: wrong.map(String) })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });

  test("has pages of devices, one device alone, and nothing of other organizations", async () => {
    const call = createTrpcCaller(org).recordings;
    const first = await call.coverage({ bounds, limit: 1 });
    expect(first.results.map(({ name }) => name)).toEqual(["Arm C1"]);
    const second = await call.coverage({ bounds, limit: 1, cursor: first.next ?? "" });
    expect([second.results.map(({ name }) => name), second.next]).toEqual([["AMR 03"], null]);
    expect((await call.coverage({ bounds, device_id: arm.uid })).results).toHaveLength(1);
    const other = createTrpcCaller(await makeOrganization()).recordings;
    expect((await other.coverage({ bounds, device_id: arm.uid })).results).toEqual([]);
  });
});
