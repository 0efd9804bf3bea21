import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RetentionSettings } from "@/domain/organizations/retention";
import { batchSizes } from "@/server/features/retention/batch-service";
import { applyRetention } from "@/server/features/retention/organization-service";
import { sweepRetention } from "@/server/features/retention/sweep-service";
import { pool, prisma } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { logFor } from "@/server/platform/log";
import { int4, queryRows, text } from "@/server/platform/rows";
import { diskStore } from "@/server/platform/storage/own";
import { uuidv7 } from "@/server/platform/uid";
import { aged, daysAgo } from "@/server/testing/aged";
import { makeDevice, makeOrganization, makeRecording, unique, type TestOrganization } from "@/server/testing/factories";
import { queuedJobs, removeJobs, runQueuedJobs } from "@/server/testing/queued-jobs";

const sizes = { ...batchSizes };
let own: TestOrganization;
let device: string;
beforeEach(async () => {
  own = await makeOrganization();
  device = (await makeDevice(own)).uid;
});
afterEach(() => void Object.assign(batchSizes, sizes));

const retain = (organization: TestOrganization, retention: RetentionSettings) =>
  prisma.organization.update({ where: { uid: organization.uid }, data: { settings: { retention } } });

/** Runs the job as a worker does, which is killed at the check of that number. */
function run(organization = own, checks = Infinity) {
  const signal = Object.assign(new AbortController().signal, {
    throwIfAborted: () => {
      if (checks-- <= 0) throw new Error("killed");
    },
  });
  const attempt = { jobId: "0", attempt: 1 };
  return applyRetention(organization.uid, { attempt, lastAttempt: false, signal, log: logFor("test") });
}

const recording = (days: number, more: object = {}, organization = own) =>
  makeRecording(organization, device, { ...aged("recording", days), sizeBytes: 10n, ...more });

async function event(recordingId: string, days: number, tags: string[] = []): Promise<string> {
  const { uid, createdAt } = aged("event", days);
  const organizationId = own.uid;
  await prisma.event.create({
    data: {
      uid,
      createdAt,
      organizationId,
      recordingId,
      deviceId: device,
      type: "incident",
      severity: "info",
      label: "x",
      timestampNs: 1n,
      source: "user",
      tagIndex: { create: tags.map((tag) => ({ organizationId, tag, timestampNs: 1n })) },
    },
  });
  await prisma.recordingEventType.createMany({
    data: { organizationId, type: "incident", recordingId },
    skipDuplicates: true,
  });
  return uid;
}

async function alert(days: number, more: object = {}): Promise<string> {
  const { uid, createdAt } = aged("alert", days);
  await prisma.alert.create({
    data: {
      uid,
      createdAt,
      organizationId: own.uid,
      ruleId: "r",
      ruleName: "r",
      ruleVersion: 1,
      deviceId: device,
      deviceName: "d",
      severity: "error",
      message: "m",
      dedupeKey: unique(),
      triggeredAt: createdAt,
      triggeredNs: 0n,
      status: "resolved",
      resolvedAt: createdAt,
      ...more,
    },
  });
  return uid;
}

const auditEntry = async (days: number): Promise<string> => {
  const entry = { actorType: "user", actorId: "u", actorName: "u", action: "x", targetType: "t", targetId: "t" };
  const { uid } = await prisma.auditEntry.create({ data: { ...aged(null, days), ...entry, organizationId: own.uid } });
  return uid;
};

/** Which of these rows exist, in their order. */
async function existing(table: "recordings" | "events" | "alerts" | "audit_entries", uids: string[]) {
  const rows = await queryRows(pool, { uid: text }, `select uid from ${table} where uid = any($1)`, [uids]);
  const found = new Set(rows.map(({ uid }) => uid));
  return uids.map((uid) => found.has(uid));
}

describe("an organization's retention", () => {
  test("deletes what is older than the days of its kind, and neither younger nor other organizations' rows", async () => {
    const other = await makeOrganization();
    await retain(own, { recordings_days: 30, events_days: 10, alerts_days: 20, audit_days: 90 });
    const [old, young] = [await recording(31), await recording(29)];
    const foreign = await recording(400, {}, other);
    const events = [await event(young.uid, 11, ["a", "b"]), await event(young.uid, 9)];
    const alerts = [await alert(21), await alert(19), await alert(21, { resolvedAt: daysAgo(1) })];
    const entries = [await auditEntry(91), await auditEntry(89)];
    expect(await run()).toEqual({ recordings: 1, bytes: 10, events: 1, alerts: 1, audit: 1 });
    expect(await existing("recordings", [old.uid, young.uid, foreign.uid])).toEqual([false, true, true]);
    expect(await existing("events", events)).toEqual([false, true]);
    expect(await existing("alerts", alerts)).toEqual([false, true, true]);
    expect(await existing("audit_entries", entries)).toEqual([false, true]);
    // Its type is still that of another event.
    expect(await prisma.recordingEventType.count({ where: { recordingId: young.uid } })).toBe(1);
    const [entry] = await prisma.auditEntry.findMany({
      where: { organizationId: own.uid, action: "organization.retention_applied" },
    });
    expect(entry).toMatchObject({ actorName: "retention", after: { recordings: 1, bytes: 10, events: 1 } });
    expect(await run()).toEqual({});
  });

  test("leaves what alerts kept of a recording", async () => {
    await retain(own, { recordings_days: 30 });
    const { uid: recordingId } = await recording(31);
    const alertId = await alert(1, { recordingId });
    const shared = { organizationId: own.uid, recordingId, triggeredNs: 1n, expiresAt: daysAgo(-1) };
    await prisma.alertCapture.create({ data: { uid: uuidv7(), alertId, ...shared } });
    await run();
    expect(await existing("recordings", [recordingId])).toEqual([false]);
    expect(await prisma.alertCapture.count({ where: { alertId } })).toBe(1);
  });

  test("of none retains everything, as before there was any", async () => {
    const kept = [(await recording(4_000)).uid];
    const alerts = [await alert(4_000)];
    expect(await run()).toEqual({});
    await retain(own, { recordings_days: null, alerts_days: null });
    expect(await run()).toEqual({});
    expect([await existing("recordings", kept), await existing("alerts", alerts)]).toEqual([[true], [true]]);
  });

  test("deletes a recording's files with its row, and takes its bytes off the device", async () => {
    await retain(own, { recordings_days: 5 });
    await prisma.device.update({ where: { uid: device }, data: { storageBytes: 25n } });
    const { uid } = await recording(6, { sizeBytes: 5n });
    const prefix = `recordings/${own.uid}/${uid.replace("_", "-")}/`;
    const session = { uid: uuidv7(), organizationId: own.uid, recordingId: uid, filesHash: "", prefix };
    await prisma.uploadSession.create({ data: { ...session, totalFiles: 1, totalBytes: 5n } });
    await diskStore().put(`${prefix}file`, new Blob(["bytes"]).stream(), 5);
    await run();
    expect(await runQueuedJobs(jobs.deleteStoredObjects, { prefix })).toBe(1);
    expect(await diskStore().head(`${prefix}file`)).toBeNull();
    expect(await prisma.device.findUniqueOrThrow({ where: { uid: device } })).toMatchObject({ storageBytes: 20n });
  });

  test("leaves what is in use: unresolved alerts, the events they are about, uploads and processing", async () => {
    await retain(own, { recordings_days: 30, events_days: 5, alerts_days: 5 });
    const busy = [await recording(40, { status: "uploading" }), await recording(40, { status: "processing" })];
    const watched = await recording(20);
    const events = [await event(watched.uid, 10)];
    const alerts = [await alert(40, { status: "open", resolvedAt: null, recordingId: watched.uid })];
    expect(await run()).toEqual({});
    expect(await prisma.recording.count({ where: { uid: { in: busy.map(({ uid }) => uid) } } })).toBe(2);
    await prisma.alert.update({ where: { uid: alerts[0]! }, data: { status: "resolved", resolvedAt: daysAgo(6) } });
    expect(await run()).toEqual({ alerts: 1, events: 1 });
    expect(await existing("events", events)).toEqual([false]);
    expect(await prisma.recordingEventType.count({ where: { recordingId: watched.uid } })).toBe(0);
  });

  test("that is changed while the job runs counts from the next batch", async () => {
    await retain(own, { recordings_days: 5 });
    const uids = [(await recording(7)).uid, (await recording(6)).uid];
    await expect(run(own, 2)).rejects.toThrow("killed");
    await retain(own, { recordings_days: null });
    expect(await run()).toEqual({ recordings: 1, bytes: 10 });
    expect(await existing("recordings", uids)).toEqual([false, true]);
  });
});

describe("the daily job", () => {
  test("that is killed anywhere is continued, and counts every row once", async () => {
    await retain(own, { recordings_days: 5, alerts_days: 5, audit_days: 90 });
    Object.assign(batchSizes, { rows: 2, recordings: 2 });
    for (let n = 0; n < 4; n++) {
      await recording(6 + n);
      await alert(6 + n);
      await auditEntry(100);
    }
    for (const checks of [1, 2, 4]) await expect(run(own, checks)).rejects.toThrow("killed");
    const interrupted = await prisma.retentionRun.findUniqueOrThrow({ where: { organizationId: own.uid } });
    expect(interrupted.finishedAt).toBeNull();
    expect(await run()).toEqual({ recordings: 4, bytes: 40, alerts: 4, audit: 4 });
    const last = await prisma.retentionRun.findUniqueOrThrow({ where: { organizationId: own.uid } });
    expect(last).toMatchObject({ startedAt: interrupted.startedAt, finishedAt: expect.any(Date) as Date });
    expect(await run()).toEqual({});
  });

  test("deletes nothing twice when two workers run it at the same time", async () => {
    await retain(own, { recordings_days: 5, alerts_days: 5 });
    Object.assign(batchSizes, { rows: 2, recordings: 2 });
    for (let n = 0; n < 5; n++) await Promise.all([recording(6), alert(6)]);
    await Promise.all([run(), run()]);
    const { freed } = await prisma.retentionRun.findUniqueOrThrow({ where: { organizationId: own.uid } });
    expect(freed).toEqual({ recordings: 5, bytes: 50, alerts: 5 });
  });

  test("deletes with no statement more rows than a batch has, of any table", async () => {
    await retain(own, { recordings_days: 5, events_days: 3, alerts_days: 5, audit_days: 90 });
    Object.assign(batchSizes, { rows: 3, recordings: 4 });
    const watched = ["recordings", "events", "alerts", "alert_comments", "notifications", "audit_entries", "series"];
    const [log, record] = [unique("deleted").replace("-", "_"), unique("record").replace("-", "_")];
    await pool.query(`create table ${log} (name text, count int);
      create function ${record}() returns trigger language plpgsql as $$ begin
        insert into ${log} select tg_table_name, count(*) from gone; return null; end $$;`);
    for (const table of watched) {
      await pool.query(`create trigger ${record} after delete on ${table} referencing old table as gone
        for each statement execute function ${record}()`);
    }
    try {
      const old = await recording(6);
      const young = await recording(4);
      for (let n = 0; n < 5; n++) {
        await Promise.all([event(old.uid, 6), event(young.uid, 4), recording(7), auditEntry(100)]);
        const series = { recordingId: old.uid, topic: "/t", field: `${n}`, kind: "number", sampleCount: 1n };
        await prisma.series.create({ data: { ...series, data: Buffer.from("x") } });
        const alertId = await alert(6);
        const comment = { organizationId: own.uid, alertId, authorId: "u", authorName: "u", body: "b" };
        await prisma.alertComment.create({ data: { ...comment, uid: uuidv7() } });
      }
      expect(await run()).toMatchObject({ recordings: 6, events: 5, alerts: 5, audit: 5 });
      const largest = `select name, max(count)::int as count, sum(count)::int as total from ${log} group by name`;
      const rows = await queryRows(pool, { name: text, count: int4, total: int4 }, largest);
      expect(rows.filter(({ count }) => count > 3)).toEqual([]);
      const total = Object.fromEntries(rows.map(({ name, total: sum }) => [name, sum]));
      expect(total).toMatchObject({ recordings: 6, events: 10, series: 5, alerts: 5, alert_comments: 5 });
    } finally {
      for (const table of watched) await pool.query(`drop trigger ${record} on ${table}`);
      await pool.query(`drop function ${record}; drop table ${log}`);
    }
  });

  test("is queued once for each organization that has a retention, one after another", async () => {
    const without = await makeOrganization();
    await Promise.all([retain(own, { alerts_days: 5 }), retain(without, { alerts_days: null })]);
    const deleted = await makeOrganization();
    await retain(deleted, { alerts_days: 5 });
    await prisma.organization.update({ where: { uid: deleted.uid }, data: { deletesAt: daysAgo(-3) } });
    await sweepRetention();
    await sweepRetention();
    const queued = await queuedJobs(jobs.applyRetention);
    const count = (organizationId: string | null) =>
      queued.filter(({ payload }) => payload.organizationId === organizationId).length;
    expect([null, own.uid, without.uid, deleted.uid].map(count)).toEqual([1, 1, 0, 0]);
    await removeJobs(queued.map(({ id }) => id));
  });
});
