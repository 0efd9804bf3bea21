import { afterEach, beforeAll, expect, test } from "vitest";
import { batchSizes } from "@/server/features/retention/batch-service";
import { applyOperatorRetention } from "@/server/features/retention/operator-service";
import { prisma } from "@/server/platform/db";
import { logFor } from "@/server/platform/log";
import { defaultRetention, operatorKinds, type OperatorRetention } from "@/server/platform/operator-retention";
import { newUid, uuidv7 } from "@/server/platform/uid";
import { aged, daysAgo } from "@/server/testing/aged";
import { makeDevice, makeOrganization, makeRecording, unique, type TestOrganization } from "@/server/testing/factories";

const sizes = { ...batchSizes };
let own: TestOrganization;
let device: string;
beforeAll(async () => {
  own = await makeOrganization();
  device = (await makeDevice(own)).uid;
});
afterEach(() => void Object.assign(batchSizes, sizes));

const run = (retention: Partial<OperatorRetention>) => {
  const never = Object.fromEntries(operatorKinds.map((kind) => [kind, null]));
  const { signal } = new AbortController();
  const job = { attempt: { jobId: "0", attempt: 1 }, lastAttempt: false, signal, log: logFor("test") };
  return applyOperatorRetention(job, { ...defaultRetention, ...never, ...retention });
};

const attempt = () => ({ uid: uuidv7(), startedAt: new Date(), durationMs: 1, ok: true });

async function delivery(days: number, status = "delivered", attempts = 1): Promise<string> {
  const { uid } = await prisma.webhookDelivery.create({
    data: {
      ...aged(null, days),
      organizationId: own.uid,
      subscriptionId: own.uid,
      eventType: "dataset.created",
      payload: {},
      status,
      attemptsLog: { create: Array.from({ length: attempts }, attempt) },
    },
  });
  return uid;
}

test("deliveries older than the days are deleted with their attempts, unless they are still to be sent", async () => {
  Object.assign(batchSizes, { rows: 2 });
  const old = [await delivery(31, "failed", 5), await delivery(32), await delivery(33), await delivery(40)];
  const kept = [await delivery(29), await delivery(100, "pending")];
  expect((await run({ deliveries: 30 })).deliveries).toBeGreaterThanOrEqual(4);
  const left = await prisma.webhookDelivery.findMany({ where: { organizationId: own.uid }, orderBy: { uid: "desc" } });
  expect(left.map(({ uid }) => uid)).toEqual(kept);
  expect(await prisma.webhookAttempt.count({ where: { deliveryId: { in: old } } })).toBe(0);
  expect(await prisma.webhookAttempt.count({ where: { deliveryId: { in: kept } } })).toBe(2);
});

test("executions older than the days are deleted, unless their agent may still act", async () => {
  const agent = uuidv7();
  const named = { uid: agent, organizationId: own.uid, name: unique("agent"), secretSealed: "-" };
  await prisma.agent.create({ data: named });
  const execution = (days: number, completedAt: Date | null) => ({
    ...aged(null, days),
    organizationId: own.uid,
    agentId: agent,
    eventType: "result.submitted",
    eventPayload: {},
    deadline: daysAgo(0),
    completedAt,
  });
  const [old, young, open] = [execution(91, daysAgo(91)), execution(89, daysAgo(89)), execution(91, null)];
  await prisma.agentExecution.createMany({ data: [old, young, open] });
  await prisma.agentAttempt.create({ data: { ...attempt(), executionId: old.uid } });
  expect((await run({ executions: 90 })).executions).toBeGreaterThanOrEqual(1);
  const left = await prisma.agentExecution.findMany({ where: { agentId: agent }, orderBy: { uid: "asc" } });
  expect(left.map(({ uid }) => uid)).toEqual([open.uid, young.uid].sort());
});

test("evaluations older than the days are deleted with their hits, and so are finished runs of rules", async () => {
  Object.assign(batchSizes, { rows: 2 });
  const rule = newUid("rule");
  const condition = { conditionType: "threshold", condition: {}, actions: [] };
  await prisma.rule.create({ data: { uid: rule, organizationId: own.uid, name: "r", ...condition } });
  const evaluate = async (days: number, hits: number) => {
    const { uid: recordingId } = await makeRecording(own, device);
    const of = { organizationId: own.uid, deviceId: device };
    const positions = Array.from({ length: hits }, (_, position) => position);
    await prisma.ruleEvaluation.create({
      data: {
        ...of,
        ruleId: rule,
        recordingId,
        version: 1,
        status: "hit",
        evaluatedAt: daysAgo(days),
        hits: {
          create: positions.map((position) => ({
            ...of,
            position,
            startedNs: 0n,
            triggeredNs: 0n,
            endedNs: 0n,
            evidence: {},
          })),
        },
      },
    });
    return recordingId;
  };
  for (const days of [181, 200, 300]) await evaluate(days, 5);
  const young = await evaluate(179, 3);
  const quiet = async (days: number) => {
    const { uid: recordingId } = await makeRecording(own, device, { uid: aged("recording", 300).uid });
    const of = { organizationId: own.uid, deviceId: device, ruleIds: [rule], results: [{ version: 1 }] };
    await prisma.quietEvaluations.create({ data: { ...of, recordingId, durationMs: 1, evaluatedAt: daysAgo(days) } });
    return recordingId;
  };
  for (const days of [181, 190, 200]) await quiet(days);
  const youngQuiet = await quiet(179);
  const preview = { organizationId: own.uid, kind: "preview", request: {} };
  const runs = [aged(null, 181), aged(null, 179), aged(null, 181)];
  const data = runs.map((each, n) => ({ ...each, ...preview, ...(n < 2 && { finishedAt: each.createdAt }) }));
  await prisma.ruleRun.createMany({ data });
  expect((await run({ evaluations: 180 })).evaluations).toBeGreaterThanOrEqual(4 + 3);
  expect(await prisma.quietEvaluations.findMany({ where: { organizationId: own.uid } })).toMatchObject([
    { recordingId: youngQuiet },
  ]);
  const left = await prisma.ruleEvaluation.findMany({ where: { ruleId: rule }, include: { hits: true } });
  expect(left).toMatchObject([{ recordingId: young, hits: { length: 3 } }]);
  expect(await prisma.ruleHit.count({ where: { ruleId: rule } })).toBe(3);
  expect(await prisma.ruleRun.count({ where: { organizationId: own.uid } })).toBe(2);
});

test("changes of a device's status older than the days are deleted but for the last, which the lane begins with", async () => {
  const change = ({ uid, createdAt }: ReturnType<typeof aged>, status: string) => ({
    uid,
    at: createdAt,
    status,
    organizationId: own.uid,
    deviceId: device,
  });
  const changes = [change(aged(null, 300), "online"), change(aged(null, 200), "offline")];
  const young = change(aged(null, 10), "online");
  await prisma.deviceStatusChange.createMany({ data: [...changes, young] });
  await run({ device_status: 180 });
  const where = { deviceId: device, at: { lt: daysAgo(1) } };
  const left = await prisma.deviceStatusChange.findMany({ where, orderBy: { at: "asc" } });
  expect(left.map(({ uid }) => uid)).toEqual([changes[1]!.uid, young.uid]);
});

test("notifications older than the days are deleted with their attempts, unless they are still to be sent", async () => {
  const channel = newUid("channel");
  await prisma.channel.create({
    data: { uid: channel, organizationId: own.uid, name: "c", type: "webhook", config: {} },
  });
  const notify = async (days: number, status: string) =>
    prisma.notification.create({
      data: {
        ...aged(null, days),
        organizationId: own.uid,
        channelId: channel,
        event: "opened",
        status,
        dedupeKey: unique(),
        payload: {},
        attemptsLog: { create: [attempt()] },
      },
    });
  await notify(91, "sent");
  const kept = [await notify(89, "failed"), await notify(91, "pending")].map(({ uid }) => uid);
  expect((await run({ notifications: 90 })).notifications).toBeGreaterThanOrEqual(1);
  const left = await prisma.notification.findMany({ where: { channelId: channel }, orderBy: { uid: "desc" } });
  expect(left.map(({ uid }) => uid)).toEqual(kept);
});

test("what the operator retains for ever stays", async () => {
  const kept = await delivery(5_000);
  expect(await run({})).toEqual({});
  expect(await prisma.webhookDelivery.count({ where: { uid: kept } })).toBe(1);
});
