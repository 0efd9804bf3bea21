import { beforeEach, expect, test } from "vitest";
import { applyRetention } from "@/server/features/retention/organization-service";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { logFor } from "@/server/platform/log";
import { countDeletions } from "@/server/read-models/organization/retention";
import { aged, daysAgo } from "@/server/testing/aged";
import {
  addMember,
  makeDevice,
  makeOrganization,
  makeRecording,
  unique,
  type TestOrganization,
} from "@/server/testing/factories";
import { createTrpcCaller, request } from "@/server/testing/requests";

let own: TestOrganization;
let device: string;
beforeEach(async () => {
  own = await makeOrganization();
  device = (await makeDevice(own)).uid;
});

const recording = (days: number, organization = own) =>
  makeRecording(organization, device, { ...aged("recording", days), sizeBytes: 500n });

const apply = () =>
  applyRetention(own.uid, {
    attempt: { jobId: "0", attempt: 1 },
    lastAttempt: false,
    signal: new AbortController().signal,
    log: logFor("test"),
  });

/** Old rows of every kind: two recordings, three events, an alert, an entry; and as many that stay. */
async function makeOldRows(): Promise<void> {
  const other = await makeOrganization();
  const [old] = [await recording(50), await recording(40), await recording(20), await recording(50, other)];
  const of = { organizationId: own.uid, recordingId: old.uid, deviceId: device };
  const event = { ...of, type: "incident", severity: "info", label: "x", timestampNs: 1n, source: "user" };
  await prisma.event.createMany({ data: [45, 41, 31, 20].map((days) => ({ ...event, ...aged("event", days) })) });
  await prisma.recordingEventType.create({
    data: { organizationId: own.uid, type: "incident", recordingId: old.uid },
  });
  const rule = { ruleId: "r", ruleName: "r", ruleVersion: 1, deviceId: device, deviceName: "d" };
  const alert = { ...rule, organizationId: own.uid, severity: "error", message: "m", triggeredNs: 0n };
  const alerts = [
    { status: "resolved", resolvedAt: daysAgo(35) },
    { status: "resolved", resolvedAt: daysAgo(1) },
    { status: "open", resolvedAt: null },
  ];
  await prisma.alert.createMany({
    data: alerts.map((state) => ({
      ...alert,
      ...state,
      ...aged("alert", 36),
      triggeredAt: daysAgo(36),
      dedupeKey: unique(),
    })),
  });
  const entry = { actorType: "user", actorId: "u", actorName: "u", action: "x", targetType: "t", targetId: "t" };
  await prisma.auditEntry.createMany({
    data: [100, 80].map((days) => ({ ...entry, ...aged(null, days), organizationId: own.uid })),
  });
}

test("what is counted before it is saved is what the next run deletes, of each kind", async () => {
  await makeOldRows();
  const caller = createTrpcCaller(own);
  const only = async (settings: object) => {
    const counts = await caller.organizations.countDeletions(settings);
    return counts?.map(({ kind, count, bytes }) => [kind, count, bytes]);
  };
  expect(await only({})).toEqual([]);
  expect(await only({ recordings_days: 30 })).toEqual([["recordings", 2, 1_000]]);
  expect(await only({ events_days: 30, alerts_days: 30, audit_days: 90, recordings_days: null })).toEqual([
    ["events", 3, 0],
    ["alerts", 1, 0],
    ["audit", 1, 0],
  ]);
  await caller.organizations.update({ settings: { retention: { events_days: 30, alerts_days: 30, audit_days: 90 } } });
  expect(await caller.organizations.retention()).toEqual({ last: null, operator: env.RETENTION });
  expect(await apply()).toEqual({ events: 3, alerts: 1, audit: 1 });
  await caller.organizations.update({ settings: { retention: { recordings_days: 30 } } });
  expect(await apply()).toEqual({ recordings: 2, bytes: 1_000 });
  expect((await caller.organizations.retention()).last).toMatchObject({
    finished_at: expect.any(String) as string,
    freed: { recordings: 2, bytes: 1_000 },
  });
});

test("counting ends at a number and at a time, which the result says", async () => {
  for (let n = 0; n < 4; n++) await recording(10);
  const days = { recordings_days: 5 };
  expect(await countDeletions(own.ctx, days, { max: 3 })).toMatchObject([{ count: 3, more: true }]);
  expect(await countDeletions(own.ctx, days, { max: 4 })).toMatchObject([{ count: 4, more: false }]);
});

test("days are set by admins, member by member, within their limits, and the audit log shows the change", async () => {
  const path = `/organizations/${own.slug}/`;
  const patch = (retention: object, key = own.key) =>
    request<{ settings: { retention?: object } }>("PATCH", path, { key, body: { settings: { retention } } });
  expect((await patch({ recordings_days: 30, audit_days: 90 })).status).toBe(200);
  const second = await patch({ alerts_days: 7, audit_days: null });
  expect(second.body.settings.retention).toEqual({ recordings_days: 30, audit_days: null, alerts_days: 7 });
  for (const wrong of [{ audit_days: 89 }, { recordings_days: 0 }, { events_days: 1.5 }, { alerts_days: "7" }])
    expect([wrong, (await patch(wrong)).status]).toEqual([wrong, 400]);
  const member = await addMember(own, "member");
  expect((await patch({ recordings_days: 1 }, member.key)).status).toBe(403);
  const refused = createTrpcCaller(own, member).organizations.countDeletions({ recordings_days: 1 });
  await expect(refused).rejects.toMatchObject({ code: "FORBIDDEN" });
  const entries = await prisma.auditEntry.findMany({
    where: { organizationId: own.uid, action: "organization.updated" },
    orderBy: { uid: "asc" },
  });
  expect(entries.map(({ after }) => after)).toMatchObject([
    { settings: { retention: { recordings_days: 30, audit_days: 90 } } },
    { settings: { retention: { alerts_days: 7, audit_days: null } } },
  ]);
});
