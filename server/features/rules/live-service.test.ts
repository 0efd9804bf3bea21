import { beforeEach, expect, test } from "vitest";
import { SaveMeaning } from "@/domain/health/schema";
import { recordHeartbeat } from "@/server/features/devices/heartbeat-service";
import { saveMeaning } from "@/server/features/health/meaning-service";
import { evaluateLiveRules } from "@/server/features/rules/live-service";
import { createRule, getRule, updateRule } from "@/server/features/rules/service";
import { pool, prisma } from "@/server/platform/db";
import { makeDevice, makeOrganization, makeRecording, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller, request } from "@/server/testing/requests";

/** Rules about heartbeats, from what devices send to their alerts. */

let org: TestOrganization;
let device: { uid: string; device_token: string };
/** Half an hour ago: rules of these tests were enabled just before. */
const start = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 1_800_000);
const at = (seconds: number) => new Date(start.getTime() + seconds * 1_000);

beforeEach(async () => {
  org = await makeOrganization();
  device = await addDevice();
});

/** A device that was registered before the rules of these tests. */
async function addDevice(more: Parameters<typeof makeDevice>[1] = {}, place = org): ReturnType<typeof makeDevice> {
  const added = await makeDevice(place, more);
  await prisma.device.update({ where: { uid: added.uid }, data: { createdAt: at(-2) } });
  return added;
}

const batteryRule = {
  name: "Battery below 20",
  condition: {
    type: "threshold",
    topic: "@heartbeat",
    field: "battery",
    operator: "lt",
    value: 20,
    window: "1m",
  } as const,
  actions: [{ type: "flag_for_review", severity: "error" } as const],
};

/** A rule that was enabled just before `start`. */
async function addRule(more: Partial<Parameters<typeof createRule>[1]> = {}): Promise<string> {
  const { uid } = await createRule(org.ctx, { ...batteryRule, ...more });
  await prisma.rule.update({ where: { uid }, data: { liveSince: at(-1) } });
  return uid;
}

/** Sends heartbeats with a battery, 30 seconds from each other. */
async function send(from: number, batteries: readonly number[], uid = device.uid): Promise<void> {
  for (const [n, battery] of batteries.entries()) {
    await recordHeartbeat(org.ctx, uid, { timestamp: at(from + 30 * n), metrics: { battery } });
  }
}

const evaluate = (seconds = 1_700) => evaluateLiveRules({ silence: true }, at(seconds));
const listAlerts = async (ruleId: string) => {
  const alerts = await prisma.alert.findMany({ where: { ruleId }, orderBy: { uid: "asc" } });
  return alerts.map(({ status, deviceId, triggeredAt, occurrenceCount, note }) => ({
    status,
    deviceId,
    triggered: (triggeredAt.getTime() - start.getTime()) / 1_000,
    occurrenceCount,
    note,
  }));
};
const triggered = (seconds: number, more: object = {}) => ({
  status: "open",
  deviceId: device.uid,
  triggered: seconds,
  occurrenceCount: 1,
  note: "",
  ...more,
});

test("an alert opens when a battery was low for its window, and resolves by itself when it is not any more", async () => {
  const rule = await addRule();
  await send(0, [30, 15, 14]);
  await evaluate(90);
  expect(await listAlerts(rule)).toEqual([]);
  await send(90, [13]);
  expect(await evaluate(100)).toBe(1);
  expect(await listAlerts(rule)).toEqual([triggered(90)]);
  const [alert] = await prisma.alert.findMany({ where: { ruleId: rule } });
  expect(alert).toMatchObject({ severity: "error", recordingId: null, organizationId: org.uid });
  const shown = await request<{ message: string }>("GET", `/fleet/alerts/${alert?.uid}/`, { key: org.key });
  expect(shown.body.message).toBe("Battery 13 % (below 20 % for 1 min)");

  await send(120, [12, 11]);
  expect(await evaluate(160)).toBe(0);
  await send(180, [25]);
  await evaluate(190);
  expect(await listAlerts(rule)).toEqual([triggered(90, { status: "resolved", note: "auto" })]);
  expect(await prisma.rule.findUniqueOrThrow({ where: { uid: rule } })).toMatchObject({ hitCount: 1n });
});

test("a heartbeat of the millisecond in which the rule was made counts, and one from before does not", async () => {
  const { window: _, ...immediate } = batteryRule.condition;
  const rule = await addRule({ condition: immediate });
  await prisma.rule.update({ where: { uid: rule }, data: { liveSince: at(0) } });
  const earlier = await addDevice();
  await recordHeartbeat(org.ctx, earlier.uid, { timestamp: at(-0.001), metrics: { battery: 10 } });
  await send(0, [11]);
  await evaluate(10);
  expect(await listAlerts(rule)).toEqual([triggered(0)]);
});

test("alerts name a metric by what it means for the type of their device", async () => {
  const rule = await addRule();
  await send(0, [15, 14, 13]);
  const { type } = await prisma.device.findUniqueOrThrow({ where: { uid: device.uid } });
  await saveMeaning(org.ctx, "battery", SaveMeaning.parse({ device_type: type, label: "Main pack" }));
  await evaluate(70);
  const [alert] = await prisma.alert.findMany({ where: { ruleId: rule } });
  expect(alert?.message).toBe("Main pack 13 % (below 20 % for 1 min)");
  const shown = await request<{ evidence: unknown }>("GET", `/fleet/alerts/${alert?.uid}/`, { key: org.key });
  const metric = { label: "Main pack", unit: "%", kind: "percent" };
  expect(shown.body.evidence).toMatchObject({ leaves: [{ field: "battery", value: 13, metric }] });
  // A rule is about devices of any type.
  expect((await getRule(org.ctx, rule)).condition_text).toBe("Battery below 20 % for 1 min");
  await saveMeaning(org.ctx, "battery", SaveMeaning.parse({ label: "Charge" }));
  expect((await getRule(org.ctx, rule)).condition_text).toBe("Charge below 20 % for 1 min");
});

test("however often it is evaluated, and by how many workers, each trigger is one alert", async () => {
  const rule = await addRule();
  const others = await Promise.all(Array.from({ length: 5 }, () => addDevice()));
  for (let round = 0; round < 6; round++) {
    for (const { uid } of [device, ...others]) await send(30 * round, [round === 0 ? 50 : 10], uid);
    await Promise.all([evaluate(30 * round + 5), evaluate(30 * round + 5), evaluate(30 * round + 5)]);
  }
  const alerts = await listAlerts(rule);
  expect(alerts.map(({ deviceId }) => deviceId).sort()).toEqual([device, ...others].map(({ uid }) => uid).sort());
  expect(new Set(alerts.map((each) => each.triggered))).toEqual(new Set([90]));
  expect((await prisma.rule.findUniqueOrThrow({ where: { uid: rule } })).hitCount).toBe(6n);
});

test("a worker that ends between evaluation and alert leaves neither, and the next one makes both once", async () => {
  const rule = await addRule();
  await send(0, [15, 14, 13]);
  // The count is written last, after alert and state.
  await pool.query(`create function end_worker() returns trigger language plpgsql as
    'begin raise exception ''the worker ended''; end'`);
  await pool.query(`create trigger end_worker before update on rules for each row
    when (new.uid = '${rule}' and new.hit_count > 0) execute function end_worker()`);
  await expect(evaluate(70)).rejects.toThrow("the worker ended");
  await pool.query("drop function end_worker cascade");
  expect(await prisma.liveRuleState.count({ where: { ruleId: rule } })).toBe(0);
  expect(await evaluate(70)).toBe(1);
  expect(await evaluate(70)).toBe(0);
  expect(await listAlerts(rule)).toEqual([triggered(60)]);
});

test("silence ends an episode without resolving its alert, and the first good heartbeat after it does", async () => {
  const rule = await addRule();
  await send(0, [15, 14, 13]);
  await evaluate(70);
  await evaluate(600);
  expect(await listAlerts(rule)).toEqual([triggered(60)]);
  await send(700, [15, 14, 13]);
  await evaluate(770);
  expect(await listAlerts(rule)).toEqual([triggered(60, { occurrenceCount: 2 })]);
  await send(1_200, [80]);
  await evaluate(1_210);
  expect(await listAlerts(rule)).toMatchObject([{ status: "resolved", note: "auto" }]);
});

test("a heartbeat that is missing is found by absence, unless the platform was away itself", async () => {
  const rule = await addRule({ condition: { type: "absence", topic: "@heartbeat", timeout: "2m" } });
  await send(0, [50]);
  expect(await evaluateLiveRules({ silence: false }, at(400))).toBe(0);
  expect(await evaluate(400)).toBe(1);
  expect(await listAlerts(rule)).toEqual([triggered(120)]);
  await send(500, [50]);
  await evaluate(510);
  expect(await listAlerts(rule)).toMatchObject([{ status: "resolved" }]);
});

test("a device that never sends is found by absence, also when the first evaluation was of a platform that was away", async () => {
  const rule = await addRule({ condition: { type: "absence", topic: "@heartbeat", timeout: "2m" } });
  expect(await evaluateLiveRules({ silence: false }, at(10))).toBe(0);
  expect(await evaluate(400)).toBe(1);
  expect(await listAlerts(rule)).toEqual([triggered(119)]);
});

test("a rule that cannot be evaluated keeps no other from being evaluated, and is reported", async () => {
  const [broken, sound] = [await addRule({ name: "Broken" }), await addRule({ name: "Sound" })];
  await send(0, [15, 14, 13]);
  await pool.query(`create function fail_rule() returns trigger language plpgsql as
    'begin raise exception ''this rule fails''; end'`);
  await pool.query(`create trigger fail_rule before update on rules for each row
    when (new.uid = '${broken}' and new.hit_count > 0) execute function fail_rule()`);
  await expect(evaluate(70)).rejects.toThrow("this rule fails");
  await pool.query("drop function fail_rule cascade");
  expect([await listAlerts(broken), await listAlerts(sound)]).toEqual([[], [triggered(60)]]);
});

test("texts and booleans hold until they change", async () => {
  const rule = await addRule({
    condition: { type: "threshold", topic: "@heartbeat", field: "mode", operator: "eq", value: "fault", window: "1m" },
  });
  for (const [n, mode] of ["auto", "fault", undefined, undefined, "auto"].entries()) {
    const metrics = mode === undefined ? { battery: 50 } : { battery: 50, mode };
    await recordHeartbeat(org.ctx, device.uid, { timestamp: at(30 * n), metrics });
  }
  await evaluate(200);
  expect(await listAlerts(rule)).toEqual([triggered(90, { status: "resolved", note: "auto" })]);
});

test("another version, and a rule that was off, begin anew, and the version resolves nothing", async () => {
  const rule = await addRule();
  await send(0, [15, 14, 13]);
  await evaluate(70);
  await updateRule(org.ctx, rule, { condition: { ...batteryRule.condition, value: 10 } });
  await send(90, [50]);
  await evaluate(100);
  expect(await listAlerts(rule)).toEqual([triggered(60)]);

  const other = await addRule({ name: "Off for a while" });
  await updateRule(org.ctx, other, { enabled: false });
  await send(300, [9, 9, 9]);
  await evaluate(370);
  await updateRule(org.ctx, other, { enabled: true });
  await evaluate(1_750);
  expect(await listAlerts(other)).toEqual([]);
});

test("an alert names the recording that covers its moment, once there is one", async () => {
  const rule = await addRule();
  await send(0, [15, 14, 13]);
  await evaluate(70);
  const [alert] = await prisma.alert.findMany({ where: { ruleId: rule } });
  const trpc = createTrpcCaller(org);
  const covering = () => trpc.alerts.covering({ uid: alert!.uid });
  const record = async (deviceId: string, from: number, to: number) => {
    const { uid } = await makeRecording(org, deviceId, { status: "ready" });
    await prisma.recording.update({ where: { uid }, data: { startedAt: at(from), endedAt: at(to) } });
    return uid;
  };
  await record(device.uid, 61, 100);
  await record(device.uid, 0, 59);
  await record((await makeDevice(org)).uid, 0, 100);
  expect(await covering()).toBeNull();
  await record(device.uid, 10, 200);
  const later = await record(device.uid, 60, 60);
  expect(await covering()).toMatchObject({ uid: later });
  const stranger = createTrpcCaller(await makeOrganization());
  await expect(stranger.alerts.covering({ uid: alert!.uid })).rejects.toThrow();
});

test("a rule has its alerts in every state, and how many devices meet it now", async () => {
  const rule = await addRule();
  const other = await addDevice();
  const trpc = createTrpcCaller(org);
  expect(await trpc.rules.liveState({ uid: rule })).toMatchObject({
    devices_watched: 2,
    devices_met: 0,
    evaluated_at: null,
  });
  await send(0, [15, 14, 13, 60]);
  await send(0, [15, 14, 13], other.uid);
  await evaluate(100);
  const { name, lastSeenAt } = await prisma.device.findUniqueOrThrow({ where: { uid: other.uid } });
  expect(await trpc.rules.liveState({ uid: rule })).toEqual({
    ...{ devices_watched: 2, devices_met: 1, met: [{ uid: other.uid, name }] },
    evaluated_at: lastSeenAt?.toISOString(),
  });
  const list = async (uid: string, cursor?: string) => trpc.alerts.ofRule({ uid, limit: 1, cursor });
  const first = await list(rule);
  const second = await list(rule, first.next ?? undefined);
  const states = [...first.results, ...second.results].map(({ device_id: id, status }) => [id, status]);
  expect(states.sort()).toEqual(
    [
      [device.uid, "resolved"],
      [other.uid, "open"],
    ].sort(),
  );
  const stranger = createTrpcCaller(await makeOrganization());
  expect((await stranger.alerts.ofRule({ uid: rule })).results).toEqual([]);
  await expect(stranger.rules.liveState({ uid: rule })).rejects.toThrow();
});

test("a late heartbeat is kept and not evaluated", async () => {
  const rule = await addRule();
  await send(0, [50, 50]);
  await send(300, [50]);
  await evaluate(310);
  await send(100, [1, 1, 1, 1]);
  await evaluate(320);
  expect(await listAlerts(rule)).toEqual([]);
});

test("rules about heartbeats watch the devices of their scope, and no others", async () => {
  const other = await addDevice({ tags: ["spare"] });
  const stranger = await makeOrganization();
  const foreign = await addDevice({}, stranger);
  const rule = await addRule({ scope: { tags: ["spare"] } });
  for (const { uid } of [device, other]) await send(0, [15, 14, 13], uid);
  for (const n of [0, 1, 2]) {
    await recordHeartbeat(stranger.ctx, foreign.uid, { timestamp: at(30 * n), metrics: { battery: 3 } });
  }
  await evaluate(100);
  expect((await listAlerts(rule)).map(({ deviceId }) => deviceId)).toEqual([other.uid]);
});
