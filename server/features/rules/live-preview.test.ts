import { beforeEach, expect, test } from "vitest";
import { parseCondition } from "@/domain/conditions/condition-schema";
import type { Scope } from "@/domain/rules/scope";
import { recordHeartbeat } from "@/server/features/devices/heartbeat-service";
import { previewLive } from "@/server/features/rules/live-preview-service";
import { evaluateLiveRules } from "@/server/features/rules/live-service";
import { createRule } from "@/server/features/rules/service";
import { prisma } from "@/server/platform/db";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

/** What a rule about heartbeats would have found in those that are kept. */

let org: TestOrganization;
let device: string;
const start = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000);
const at = (seconds: number) => new Date(start.getTime() + seconds * 1_000);

beforeEach(async () => {
  org = await makeOrganization();
  device = await addDevice();
});

/** A device that was registered a second before `start`. */
async function addDevice(more: Parameters<typeof makeDevice>[1] = {}, place = org): Promise<string> {
  const { uid } = await makeDevice(place, more);
  await prisma.device.update({ where: { uid }, data: { createdAt: at(-1) } });
  return uid;
}

/** Sends heartbeats with a battery, 30 seconds from each other; null for one that is missing. */
async function send(batteries: readonly (number | null)[], uid = device, place = org): Promise<void> {
  for (const [n, battery] of batteries.entries()) {
    if (battery === null) continue;
    await recordHeartbeat(place.ctx, uid, { timestamp: at(30 * n), metrics: { battery } });
  }
}

const low = { type: "threshold", topic: "@heartbeat", field: "battery", operator: "lt", value: 20, window: "1m" };
const preview = (
  json: object = low,
  limits: Parameters<typeof previewLive>[2] = {},
  scope: Scope = null,
  until = 3_500,
) => previewLive(org.ctx, { condition: parseCondition(json), scope }, limits, at(until));

test("it finds when the kept heartbeats would have triggered, by device and in words", async () => {
  const quiet = await addDevice();
  await send([50, 15, 14, 13, 12, 60, 11, 10, 9, 8]);
  await send([50, 50], quiet);
  const { name } = await prisma.device.findUniqueOrThrow({ where: { uid: device } });
  const found = await preview(low, {}, null, 290);
  expect(found).toMatchObject({
    ...{ days: 3, until: at(290).toISOString(), devices_total: 2, devices_evaluated: 2, devices_reporting: 2 },
    ...{ device_count: 1, point_count: 12, limit: null, hit_count: 2, longest_seconds: 120 },
    condition_text: "Battery below 20 % for 1 min",
    example_message: "Battery 9 % (below 20 % for 1 min)",
    devices: [{ device_id: device, device_name: name, hit_count: 2, evaluated_until: null }],
  });
  expect(found.devices[0]?.hits).toEqual([
    {
      ...{ started_at: at(180).toISOString(), triggered_at: at(240).toISOString(), ended_at: null },
      text: "Battery 9 % (below 20 % for 1 min)",
    },
    {
      ...{ started_at: at(30).toISOString(), triggered_at: at(90).toISOString(), ended_at: at(150).toISOString() },
      text: "Battery 13 % (below 20 % for 1 min)",
    },
  ]);
  expect(await prisma.alert.count({ where: { organizationId: org.uid } })).toBe(0);
});

/** Batteries about the limit, some heartbeats missing, the same for the same seed. */
function walk(seed: number, length: number): (number | null)[] {
  let state = seed;
  const next = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  return Array.from({ length }, () => (next() < 0.15 ? null : next() < 0.6 ? 15 : 25));
}

test("it finds what the evaluation found while the same heartbeats arrived", async () => {
  const conditions = [
    low,
    { type: "absence", topic: "@heartbeat", timeout: "45s" },
    { type: "frequency", topic: "@heartbeat", count_operator: "lt", count: 3, window: "2m" },
  ];
  const rules = await Promise.all(
    conditions.map(async (json) => {
      const condition = parseCondition(json);
      const { uid } = await createRule(org.ctx, { name: json.type, condition, actions: [{ type: "flag_for_review" }] });
      await prisma.rule.update({ where: { uid }, data: { liveSince: at(-1) } });
      return uid;
    }),
  );
  const devices = [device, await addDevice()];
  const batteries = devices.map((_, n) => walk(n + 1, 40));
  for (let n = 0; n < 40; n++) {
    for (const [index, uid] of devices.entries()) {
      const battery = batteries[index]?.[n];
      if (battery) await recordHeartbeat(org.ctx, uid, { timestamp: at(30 * n), metrics: { battery } });
    }
    await evaluateLiveRules({ silence: true }, at(30 * n + 3));
  }
  // Silence is decided two seconds later than now.
  await evaluateLiveRules({ silence: true }, at(1_302));
  for (const [index, json] of conditions.entries()) {
    const found = await preview(json, {}, null, 1_300);
    const ruleId = rules[index]!;
    const { hitCount, lastHitNs } = await prisma.rule.findUniqueOrThrow({ where: { uid: ruleId } });
    expect(found.hit_count).toBeGreaterThan(1);
    expect(found.hit_count).toBe(Number(hitCount));
    const triggered = found.devices.flatMap(({ device_id: uid, hits }) => hits.map((hit) => [uid, hit.triggered_at]));
    expect(Math.max(...triggered.map(([, time]) => Date.parse(time!)))).toBe(Number(lastHitNs! / 1_000_000n));
    // Of an alert the first trigger is kept, and how many followed before it was resolved.
    const alerts = await prisma.alert.findMany({ where: { ruleId } });
    expect(alerts.reduce((sum, { occurrenceCount }) => sum + occurrenceCount, 0)).toBe(found.hit_count);
    expect(triggered).toEqual(
      expect.arrayContaining(alerts.map(({ deviceId, triggeredAt }) => [deviceId, triggeredAt.toISOString()])),
    );
    const holding = await prisma.liveRuleState.findMany({ where: { ruleId } });
    const open = found.devices.filter(({ hits }) => hits[0]?.ended_at === null).map(({ device_id: uid }) => uid);
    expect(open.sort()).toEqual(
      holding.flatMap(({ deviceId, state }) => ((state as { open: unknown }).open === null ? [] : [deviceId])).sort(),
    );
  }
});

test("it says what it left out for being too much", async () => {
  const other = await addDevice();
  for (const uid of [device, other]) await send([15, 14, 13, 60, 12, 11, 10], uid);
  expect(await preview(low, { points: 1, batch: 1 })).toMatchObject({
    limit: "points",
    devices_evaluated: 1,
    hit_count: 2,
  });
  expect(await preview(low, { ms: -1 })).toMatchObject({ limit: "time", devices_evaluated: 0, devices: [] });
  expect(await preview(low, { devices: 1 })).toMatchObject({
    limit: "devices",
    devices_total: 2,
    devices_evaluated: 1,
  });
  const few = await preview(low, { hitsPerDevice: 1 });
  expect(few.devices.map(({ hit_count: count, hits }) => [count, hits.length])).toEqual([
    [2, 1],
    [2, 1],
  ]);
  const one = await preview(low, { hits: 1 });
  expect(one).toMatchObject({ hit_count: 4, device_count: 2, devices: [{ hit_count: 2, hits: [{}] }] });
});

test("more heartbeats of a device than are read at once are evaluated to the last one", async () => {
  const { number } = await prisma.device.findUniqueOrThrow({ where: { uid: device } });
  await send([50]);
  await prisma.$executeRaw`insert into metric_points (device, at, list, "values")
    select ${number}, ${at(0)}::timestamptz + n * interval '1 second', (select metric_list from devices where uid = ${device}), array[case when n > 1100 then 10 else 50 end]::float8[]
    from generate_series(1, 1200) n`;
  expect(await preview(low, {}, null, 1_200)).toMatchObject({ point_count: 1_201, hit_count: 1 });
  const cut = await preview({ ...low, operator: "gt", value: 40 }, { points: 1_000 }, null, 1_200);
  expect(cut).toMatchObject({ limit: "points", point_count: 1_000 });
  expect(cut.devices[0]).toMatchObject({ evaluated_until: at(999).toISOString(), hits: [{ ended_at: null }] });
});

test("it looks at the devices of the scope, and at no other organization's", async () => {
  const spare = await addDevice({ tags: ["spare"] });
  const stranger = await makeOrganization();
  await send([15, 14, 13], await addDevice({ tags: ["spare"] }, stranger), stranger);
  for (const uid of [device, spare]) await send([15, 14, 13], uid);
  const found = await preview(low, {}, { tags: ["spare"] });
  expect(found.devices.map((each) => each.device_id)).toEqual([spare]);
  expect(found).toMatchObject({ devices_total: 1 });
});

test("the demo fleet is left out once there is an own device, unless its devices are named", async () => {
  const demo = await addDevice();
  await prisma.device.update({ where: { uid: demo }, data: { demo: true } });
  await send([15, 14, 13], demo);
  expect(await preview()).toMatchObject({ devices_total: 1, hit_count: 0 });
  expect(await preview(low, {}, { device_ids: [demo] })).toMatchObject({ devices_total: 1, hit_count: 1 });
});

test("a device is silent from when it was registered, and nothing is found without heartbeats otherwise", async () => {
  const silent = { type: "absence", topic: "@heartbeat", timeout: "2m" };
  const { hit_count, devices } = await preview(silent);
  expect({ hit_count, hits: devices[0]?.hits }).toMatchObject({
    hit_count: 1,
    hits: [{ triggered_at: at(119).toISOString() }],
  });
  expect(devices[0]?.hits[0]?.text).toBe("No heartbeat for 2 min");
  expect(await preview()).toMatchObject({ devices_evaluated: 1, devices_reporting: 0, point_count: 0, hit_count: 0 });
});

test("a condition about recordings is refused, in the dashboard too", async () => {
  const recorded = { ...low, topic: "/power" } as const;
  await expect(preview(recorded)).rejects.toMatchObject({ code: "invalid" });
  await expect(createTrpcCaller(org).rules.previewLive({ condition: parseCondition(recorded) })).rejects.toThrow();
  expect(await createTrpcCaller(org).rules.previewLive({ condition: parseCondition(low) })).toMatchObject({
    hit_count: 0,
  });
});
