import { beforeAll, expect, test } from "vitest";
import { dateFromNs } from "@/domain/time/nanoseconds";
import { prisma } from "@/server/platform/db";
import { newUid, uuidv7 } from "@/server/platform/uid";
import { makeAlert } from "@/server/testing/alerts";
import { makeDevice, makeOrganization, makeRecording, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller, request } from "@/server/testing/requests";

const second = 1_000_000_000n;
const at = 1_770_000_000n * second;

let org: TestOrganization;
let device: { uid: string; name: string };
let recording: string;
beforeAll(async () => {
  org = await makeOrganization();
  device = await makeDevice(org);
  recording = (await makeRecording(org, device.uid)).uid;
});

async function raise(seconds: number, name: string, of = device): Promise<string> {
  const rule = { uid: newUid("rule"), name, version: 1 };
  const { alertId } = await makeAlert(org, { rule, device: of, triggeredNs: at + BigInt(seconds) * second });
  return alertId;
}

const addEvent = (seconds: number, label: string) =>
  prisma.event.create({
    data: {
      uid: newUid("event"),
      organizationId: org.uid,
      recordingId: recording,
      deviceId: device.uid,
      type: "warning",
      severity: "warning",
      label,
      timestampNs: at + BigInt(seconds) * second,
      source: "user",
    },
  });

const addStatus = (seconds: number, status: string, reason = "") =>
  prisma.deviceStatusChange.create({
    data: {
      uid: uuidv7(),
      organizationId: org.uid,
      deviceId: device.uid,
      status,
      reason,
      at: dateFromNs(at + BigInt(seconds) * second),
    },
  });

async function makeRule(of: TestOrganization, name: string): Promise<{ uid: string; name: string; version: number }> {
  const condition = { type: "threshold", topic: "/motor", field: "value", operator: "gt", value: 80 };
  const body = { name, condition, actions: [{ type: "flag_for_review" }] };
  const { body: rule } = await request<{ uid: string }>("POST", "/fleet/rules/", { key: of.key, body });
  return { uid: rule.uid, name, version: 1 };
}

interface Hit {
  ruleId: string;
  recordingId: string;
  deviceId: string;
  position: number;
  at: bigint;
}

async function addHit({ uid: organizationId }: TestOrganization, { at: time, position, ...place }: Hit): Promise<void> {
  const evaluation = { ...place, organizationId, version: 1, status: "evaluated" };
  if (position === 0) await prisma.ruleEvaluation.create({ data: evaluation });
  const times = { startedNs: time, triggeredNs: time, endedNs: time };
  await prisma.ruleHit.create({ data: { ...place, organizationId, position, ...times, evidence: {} } });
}

test("what happened on the device within a minute of an alert is listed by time", async () => {
  const uid = await raise(0, "Motor too hot");
  await raise(-60, "Just within");
  await raise(61, "Too late");
  await raise(5, "Of another device", await makeDevice(org));
  await addEvent(30, "Operator came");
  await addEvent(-61, "Long before");
  await addStatus(-20, "offline", "no heartbeat");
  await addStatus(45, "online");
  const around = await createTrpcCaller(org).alerts.around({ uid });
  expect(
    around.map(({ kind, text, time_ns: time, severity, recording_id: id }) => [kind, text, time, severity, id]),
  ).toEqual([
    ["alert", "Just within", String(at - 60n * second), "warning", expect.any(String)],
    ["status", "offline: no heartbeat", String(at - 20n * second), null, null],
    ["event", "Operator came", String(at + 30n * second), "warning", recording],
    ["status", "online", String(at + 45n * second), null, null],
  ]);
});

test("hits of other rules, gaps, silences and another firmware are among it", async () => {
  const own = await makeOrganization();
  const its = await makeDevice(own, { tags: ["hall-1"] });
  const inside = (seconds: number) => at + BigInt(seconds) * second;
  const gap = (from: number, to: number, kind: string) => ({
    start_ns: String(inside(from)),
    end_ns: String(inside(to)),
    kind,
  });
  const { uid: shown } = await makeRecording(own, its.uid, {
    startedAt: dateFromNs(inside(-300)),
    endedAt: dateFromNs(inside(300)),
    gaps: [gap(-100, -50, "silence"), gap(10, 12, "truncated"), gap(61, 70, "silence")],
  });
  const [rule, other] = [await makeRule(own, "Motor too hot"), await makeRule(own, "Fan stopped")];
  const { alertId: uid } = await makeAlert(own, { rule, device: its, recordingId: shown, triggeredNs: at });
  for (const [position, of, seconds] of [
    [0, rule, 0],
    [0, other, 5],
    [1, other, 90],
  ] as const)
    await addHit(own, { ruleId: of.uid, recordingId: shown, deviceId: its.uid, position, at: inside(seconds) });
  const silence = (reason: string, matchers: object, from: number, to: number) =>
    prisma.silence.create({
      data: {
        uid: newUid("silence"),
        organizationId: own.uid,
        matchers,
        reason,
        createdByName: "anna",
        startsAt: dateFromNs(inside(from)),
        endsAt: dateFromNs(inside(to)),
      },
    });
  await silence("Move", { device_ids: [its.uid] }, -300, 20);
  await silence("Hall", { tags: ["hall-1"] }, 30, 900);
  await silence("Elsewhere", { device_ids: [device.uid] }, 30, 900);
  await silence("Other hall", { tags: ["hall-1", "hall-2"] }, 30, 900);
  await prisma.deviceFirmwareChange.create({
    data: {
      uid: uuidv7(),
      organizationId: own.uid,
      deviceId: its.uid,
      before: "1.0",
      after: "1.1",
      at: dateFromNs(inside(40)),
    },
  });
  const around = await createTrpcCaller(own).alerts.around({ uid });
  expect(around.map(({ kind, text, time_ns: time, recording_id: id }) => [kind, text, time, id])).toEqual([
    ["gap", "No messages for 50.0 s", String(inside(-60)), shown],
    ["hit", "Fan stopped", String(inside(5)), shown],
    ["gap", "Cannot be read for 2.0 s", String(inside(10)), shown],
    ["silence", "Ended: Move", String(inside(20)), null],
    ["silence", "Began: Hall", String(inside(30)), null],
    ["firmware", "1.0 → 1.1", String(inside(40)), null],
  ]);
});

test("of each kind at most twenty are listed, and nothing to another organization", async () => {
  const uid = await raise(600, "Busy minute");
  for (let n = 0; n < 22; n++) await addEvent(600 + n, `event ${n}`);
  const around = await createTrpcCaller(org).alerts.around({ uid });
  expect(around.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, (_, n) => `event ${n}`));
  await expect(createTrpcCaller(await makeOrganization()).alerts.around({ uid })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
});
