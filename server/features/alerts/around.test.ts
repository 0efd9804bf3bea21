import { beforeAll, expect, test } from "vitest";
import { dateFromNs } from "@/domain/time/nanoseconds";
import { prisma } from "@/server/platform/db";
import { newUid, uuidv7 } from "@/server/platform/uid";
import { makeAlert } from "@/server/testing/alerts";
import {
  createTrpcCaller,
  makeDevice,
  makeOrganization,
  makeRecording,
  type TestOrganization,
} from "@/server/testing/factories";

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

test("of each kind at most twenty are listed, and nothing to another organization", async () => {
  const uid = await raise(600, "Busy minute");
  for (let n = 0; n < 22; n++) await addEvent(600 + n, `event ${n}`);
  const around = await createTrpcCaller(org).alerts.around({ uid });
  expect(around.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, (_, n) => `event ${n}`));
  await expect(createTrpcCaller(await makeOrganization()).alerts.around({ uid })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
});
