import { beforeEach, expect, test } from "vitest";
import { flattenMetrics } from "@/domain/health/flatten";
import { recordHeartbeat } from "@/server/features/devices/heartbeat-service";
import { updateDevice } from "@/server/features/devices/service";
import { leaveOutOfRules } from "@/server/features/health/late-rules-service";
import { writeLatePoints } from "@/server/features/health/late-service";
import { placeMetrics } from "@/server/features/health/points-service";
import { evaluateLiveRules } from "@/server/features/rules/live-service";
import { createRule, updateRule } from "@/server/features/rules/service";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, pool, prisma, transaction } from "@/server/platform/db";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { request } from "@/server/testing/requests";

/** Which devices and heartbeats rules about heartbeats watch: from when on, and not what came late or during an outage. */

let org: TestOrganization;
/** Four hours ago. */
const start = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 4 * 3_600_000);
const now = 4 * 3_600;
const at = (seconds: number) => new Date(start.getTime() + seconds * 1_000);

beforeEach(async () => {
  org = await makeOrganization();
});

async function addDevice(created = -10, tags: string[] = []) {
  const device = await makeDevice(org, { tags });
  await prisma.device.update({ where: { uid: device.uid }, data: { createdAt: at(created) } });
  return device;
}

const silent = { type: "absence", topic: "@heartbeat", timeout: "2m" } as const;
const low = {
  type: "threshold",
  topic: "@heartbeat",
  field: "battery",
  operator: "lt",
  value: 20,
  window: "1m",
} as const;

/** A rule that was enabled just before `start`. */
async function addRule(more: Pick<Parameters<typeof createRule>[1], "condition" | "scope">): Promise<string> {
  const { uid } = await createRule(org.ctx, { name: "Watching", actions: [{ type: "flag_for_review" }], ...more });
  await prisma.rule.update({ where: { uid }, data: { liveSince: at(-5) } });
  return uid;
}

async function send(device: string, from: number, batteries: readonly number[]): Promise<void> {
  for (const [n, battery] of batteries.entries()) {
    await recordHeartbeat(org.ctx, device, { timestamp: at(from + 30 * n), metrics: { battery } });
  }
}

const evaluate = (seconds: number, silence = true) => evaluateLiveRules({ silence }, at(seconds));
const listTriggers = async (ruleId: string) => {
  const alerts = await prisma.alert.findMany({ where: { ruleId }, orderBy: { uid: "asc" } });
  return alerts.map(({ deviceId, triggeredAt }) => [deviceId, (triggeredAt.getTime() - start.getTime()) / 1_000]);
};

test("a device that is registered later is silent from then on, and its first heartbeat counts", async () => {
  const [absent, drained] = [await addRule({ condition: silent }), await addRule({ condition: low })];
  const first = await addDevice();
  await send(first.uid, 0, [50]);
  await evaluate(10);
  await send(first.uid, 900, [50, 50, 50, 50, 50, 50, 50]);
  await evaluate(1_001);
  const later = await addDevice(1_000.5);
  await send(later.uid, 1_001, [15]);
  const never = await addDevice(1_002);
  await evaluate(1_040);
  await send(later.uid, 1_031, [15, 15]);
  await evaluate(1_080);
  expect(await listTriggers(drained)).toEqual([[later.uid, 1_061]]);
  await evaluate(1_140);
  expect((await listTriggers(absent)).filter(([uid]) => uid !== first.uid)).toEqual([[never.uid, 1_122]]);
});

test("a device that comes into the scope is watched from then on, and anew when it comes back", async () => {
  const rule = await addRule({ condition: low, scope: { tags: ["spare"] } });
  const { uid } = await addDevice();
  const tag = (tags: string[]) => updateDevice(org.ctx, uid, { tags });
  await evaluate(1);
  await send(uid, 0, [15, 15, 15, 50]);
  await evaluate(100);
  await tag(["spare"]);
  await evaluate(110);
  expect(await listTriggers(rule)).toEqual([]);
  await send(uid, 120, [15, 15, 15]);
  await evaluate(190);
  expect(await listTriggers(rule)).toEqual([[uid, 180]]);
  await prisma.alert.deleteMany({ where: { ruleId: rule } });

  await tag([]);
  await send(uid, 210, [50, 15, 15, 15, 50]);
  await evaluate(340);
  expect(await prisma.liveRuleState.count({ where: { ruleId: rule } })).toBe(0);
  await tag(["spare"]);
  await send(uid, 360, [15, 15]);
  await evaluate(400);
  expect(await listTriggers(rule)).toEqual([]);
  await send(uid, 420, [15]);
  await evaluate(430);
  expect(await listTriggers(rule)).toEqual([[uid, 420]]);
});

test("an alert of a device that left the scope resolves once it is back and well, not by another version", async () => {
  const rule = await addRule({ condition: low, scope: { tags: ["spare"] } });
  const [{ uid }, other] = [await addDevice(-10, ["spare"]), await addDevice(-10, ["spare"])];
  const tag = async (tags: string[]) => {
    for (const device of [uid, other.uid]) await updateDevice(org.ctx, device, { tags });
  };
  for (const device of [uid, other.uid]) await send(device, 0, [15, 15, 15]);
  await evaluate(70);
  await tag([]);
  await evaluate(80);
  expect(await prisma.liveRuleState.count({ where: { ruleId: rule } })).toBe(0);
  await tag(["spare"]);
  await evaluate(100);
  const listOpen = async () =>
    (await prisma.alert.findMany({ where: { ruleId: rule, status: "open" }, orderBy: { uid: "asc" } })).map(
      ({ deviceId }) => deviceId,
    );
  expect((await listOpen()).sort()).toEqual([uid, other.uid].sort());
  await send(uid, 120, [50]);
  await evaluate(130);
  expect(await listOpen()).toEqual([other.uid]);
  expect(await prisma.alert.findFirst({ where: { ruleId: rule, deviceId: uid } })).toMatchObject({ note: "auto" });

  await updateRule(org.ctx, rule, { condition: { ...low, value: 10 } });
  await prisma.rule.update({ where: { uid: rule }, data: { liveSince: at(140) } });
  await send(other.uid, 150, [50]);
  await evaluate(160);
  expect(await listOpen()).toEqual([other.uid]);
});

test("heartbeats that come late while a rule is evaluated open nothing", async () => {
  const rule = await addRule({ condition: low });
  await prisma.rule.updateMany({ where: { uid: { not: rule } }, data: { enabled: false } });
  const { uid } = await addDevice();
  await send(uid, 0, [50]);
  await evaluate(10);
  await send(uid, 1_000, [50]);
  const { number } = await prisma.device.findUniqueOrThrow({ where: { uid } });
  const times = [300, 330, 360, 390].map(at);
  const heartbeats = times.map(() => flattenMetrics({ battery: 5 }));
  const points = (await placeMetrics(org.ctx, uid, heartbeats))!.map((row, n) => ({ ...row, at: times[n]! }));
  const evaluated = await transaction({ db: prisma }, async (tx) => {
    // It has read the device and its state, and waits here for the points.
    await execute(tx, Prisma.sql`lock table metric_names in access exclusive mode`);
    const evaluating = evaluate(1_010);
    const waiting = "select from pg_locks where relation = 'metric_names'::regclass and not granted";
    await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(1);
    await leaveOutOfRules(tx, [{ uid, organization_id: org.uid, number, times }]);
    await writeLatePoints(tx, [{ device: number, points }]);
    return { evaluating };
  });
  expect(await evaluated.evaluating).toBe(0);
  expect(await evaluate(1_020)).toBe(0);
  expect(await listTriggers(rule)).toEqual([]);
});

test("heartbeats that come late in batches open nothing, and those that came before them in their time do", async () => {
  const rule = await addRule({ condition: low });
  const device = await addDevice();
  const sendBatch = async (from: number, to: number, battery: number, more: object[] = []) => {
    const count = Math.floor((to - from) / 30) + 1;
    const heartbeats: object[] = Array.from({ length: count }, (_, n) => ({
      timestamp: at(from + 30 * n).toISOString(),
      metrics: { battery },
    }));
    const response = await request("POST", "/fleet/devices/me/heartbeat/batch/", {
      token: device.device_token,
      body: { heartbeats: [...heartbeats, ...more] },
    });
    expect(response.status).toBe(200);
  };
  await send(device.uid, 0, [50]);
  await evaluate(10);
  // No rule was evaluated while these came, and the batch is about the time between and after them.
  await send(device.uid, 1_000, [15, 14, 13]);
  await sendBatch(500, 900, 5);
  await sendBatch(1_005, 1_040, 5);
  await sendBatch(1_090, now - 3_600, 5);
  await evaluate(now - 3_590);
  expect(await listTriggers(rule)).toEqual([[device.uid, 1_060]]);

  // Back after an hour: a heartbeat, and what it could not send, the last of it just now.
  await prisma.alert.deleteMany({ where: { ruleId: rule } });
  await send(device.uid, now - 5, [50]);
  await sendBatch(now - 3_500, now - 120, 5, [{ timestamp: at(now - 4).toISOString(), metrics: { battery: 5 } }]);
  await evaluate(now);
  expect(await listTriggers(rule)).toEqual([]);
  const [state] = await prisma.liveRuleState.findMany({ where: { ruleId: rule } });
  expect(state?.state).not.toHaveProperty("late");
});

test("a heartbeat that is late itself is no sign of silence while the platform was away", async () => {
  const rule = await addRule({ condition: { ...silent, cooldown: "1h" } });
  const { uid } = await addDevice();
  await send(uid, 0, [50]);
  await evaluate(10);
  await send(uid, 600, [50]);
  expect(await evaluate(605, false)).toBe(0);
  expect(await evaluate(700)).toBe(0);
  expect(await listTriggers(rule)).toEqual([]);
  // What was excused is not counted: the next silence is found in spite of the cooldown.
  expect(await evaluate(730)).toBe(1);
  expect(await listTriggers(rule)).toEqual([[uid, 720]]);
});

test("what holds with the heartbeat itself is found while the platform was away", async () => {
  const { window: _, ...immediate } = low;
  const rule = await addRule({ condition: immediate });
  const { uid } = await addDevice();
  await send(uid, 0, [50]);
  await evaluate(10);
  await send(uid, 600, [15]);
  expect(await evaluate(605, false)).toBe(1);
  expect(await listTriggers(rule)).toEqual([[uid, 600]]);
});
