import { beforeEach, expect, test } from "vitest";
import { recordHeartbeat } from "@/server/features/devices/heartbeat-service";
import { updateDevice } from "@/server/features/devices/service";
import { evaluateLiveRules } from "@/server/features/rules/live-service";
import { createRule } from "@/server/features/rules/service";
import { prisma } from "@/server/platform/db";
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
