import { beforeEach, expect, test } from "vitest";
import type { Severity } from "@/domain/severity";
import { nsFromMs } from "@/domain/time/nanoseconds";
import { makeAlert } from "@/server/testing/alerts";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

let org: TestOrganization;
let me: ReturnType<typeof createTrpcCaller>;
beforeEach(async () => {
  org = await makeOrganization();
  me = createTrpcCaller(org);
});

const raise = async (minutesAgo: number, severity: Severity = "error", more: Parameters<typeof makeAlert>[1] = {}) =>
  (await makeAlert(org, { severity, triggeredNs: nsFromMs(Date.now() - minutesAgo * 60_000), ...more })).alertId;

test("whoever acknowledges an alert goes on with the open ones, not with those that were acknowledged", async () => {
  const newest = await raise(1);
  const shown = await raise(2);
  const acknowledged = await raise(3);
  const oldest = await raise(4);
  for (const uid of [acknowledged, shown]) await me.alerts.acknowledge({ uid });
  const expected = { previous: newest, next: oldest };
  expect(await me.alerts.neighbours({ uid: shown, tab: "open" })).toEqual(expected);
  expect(await me.alerts.neighbours({ uid: shown, tab: "acknowledged" })).toEqual({
    previous: null,
    next: acknowledged,
  });
  expect(await me.alerts.neighbours({ uid: oldest, tab: "open" })).toEqual({ previous: newest, next: null });
});

test("neighbours are of the demo fleet, one's own, or both, as chosen", async () => {
  const own = await raise(1);
  const demo = await raise(2, "error", { demo: true });
  const older = await raise(3);
  const next = async (shown: { demo?: "true" | "false" }) =>
    (await me.alerts.neighbours({ uid: own, tab: "open", ...shown })).next;
  expect(await next({})).toBe(demo);
  expect(await next({ demo: "false" })).toBe(older);
  expect(await next({ demo: "true" })).toBe(demo);
});

test("silenced and snoozed alerts follow each other, apart from the open ones, the worst first", async () => {
  const device = await makeDevice(org, { name: "arm" });
  const open = await raise(1, "critical");
  const muted = await raise(2, "critical", { device });
  const asleep = await raise(3, "warning");
  const calm = await raise(4, "info");
  const acknowledged = await raise(5, "info", { device });
  await me.alerts.acknowledge({ uid: acknowledged });
  await me.silences.create({
    matchers: { device_ids: [device.uid] },
    ends_at: new Date(Date.now() + 3_600_000).toISOString(),
    reason: "Being repaired",
  });
  await me.alerts.snooze({ uid: asleep, until: "2099-01-01T00:00:00Z" });
  expect(await me.alerts.neighbours({ uid: open, tab: "open" })).toEqual({ previous: null, next: calm });
  expect(await me.alerts.neighbours({ uid: asleep, tab: "silenced" })).toEqual({ previous: muted, next: acknowledged });
});

test("an alert of another organization has none", async () => {
  const uid = await raise(1);
  const other = createTrpcCaller(await makeOrganization());
  await expect(other.alerts.neighbours({ uid, tab: "open" })).rejects.toThrow("Not found.");
});
