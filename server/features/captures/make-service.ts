import { z } from "zod";
import { readEvidence } from "@/domain/alerts/evidence";
import { RecordingError } from "@/engine/formats/recording-error";
import { readCapture, type Captured, type Moment } from "@/server/features/captures/reading";
import { toPictureKey } from "@/server/features/captures/service";
import { withByteSources } from "@/server/features/recordings/file-service";
import { loadPack } from "@/server/features/recordings/pack-service";
import { databaseMs } from "@/server/platform/clock";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { isServiceError } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import type { JobRun } from "@/server/platform/jobs/handler";
import { enqueue, fence } from "@/server/platform/jobs/queue";
import { announce } from "@/server/platform/realtime/changes";
import { int4, text } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";
import { ObjectMissing } from "@/server/platform/storage/store";
import { storedJson } from "@/server/platform/stored-text";
import { uidFloor, uuidv7 } from "@/server/platform/uid";

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** Captures of one rule on one device within an hour, after which only one picture of each is kept. */
const manyAnHour = 20;

const Stored = z.record(z.string(), z.unknown());

/**
 * Keeps what a recording holds around the moment an alert was triggered, and releases the messages that waited for it.
 * Throws when the job should be retried.
 */
export async function makeCapture(alert: { organizationId: string; alertId: string }, run: JobRun): Promise<void> {
  const ctx = systemContext(prisma, alert.organizationId);
  await keepMoment(ctx, alert.alertId, run);
  await release(ctx, alert);
}

/** Keeps nothing of a recording that cannot be read; messages that waited for the pictures are sent without them. */
export async function refuseCapture(alert: { organizationId: string; alertId: string }): Promise<void> {
  await release(systemContext(prisma, alert.organizationId), alert);
}

const release = (ctx: Ctx, alert: { organizationId: string; alertId: string }): Promise<void> =>
  enqueue(ctx, jobs.releaseNotifications, alert, { priority: -20 });

/** Does nothing for an alert that has its capture, or whose recording is gone. */
async function keepMoment(ctx: Ctx, alertId: string, run: JobRun): Promise<void> {
  const { organizationId } = ctx;
  const alert = await prisma.alert.findFirst({
    where: { uid: alertId, organizationId },
    select: { ruleId: true, deviceId: true, recordingId: true, triggeredNs: true, evidence: true, capture: true },
  });
  if (!alert?.recordingId || alert.capture?.triggeredNs === alert.triggeredNs) return;
  const { recordingId, triggeredNs } = alert;
  const evidence = readEvidence(Stored.catch({}).parse(alert.evidence));
  const captured = await readRecording(ctx, recordingId, run, {
    triggeredNs,
    ruleTopics: evidence.kind === "rule" ? evidence.leaves.map(({ topic }) => topic) : [],
    brief: (await countRecent(ctx, alert)) >= manyAnHour,
  });
  if (captured === null) return;
  const uid = uuidv7();
  const started = { uid, organizationId, recordingId, triggeredNs, ...toColumns(captured) };
  // Pictures of an attempt that ends before its transaction are found by this row, which belongs to no alert yet.
  await prisma.alertCapture.create({
    data: { ...started, expiresAt: new Date(databaseMs() + env.EVIDENCE_DAYS * dayMs) },
  });
  for (const [index, { bytes }] of captured.pictures.entries()) {
    run.signal.throwIfAborted();
    const key = toPictureKey({ organizationId, uid }, index);
    await objectStore().put(key, new Blob([Uint8Array.from(bytes)]).stream(), bytes.length);
  }
  await attach(ctx, { uid, alertId, recordingId }, run);
}

/** Reads what is kept; null when the recording is gone, or cannot be read. */
async function readRecording(ctx: Ctx, recordingId: string, run: JobRun, moment: Moment): Promise<Captured | null> {
  try {
    const topics = await ctx.db.topic.findMany({
      where: { recordingId, organizationId: ctx.organizationId },
      select: { name: true, schemaName: true },
    });
    const { bytes } = await loadPack(ctx, recordingId);
    return await withByteSources(ctx, recordingId, (files) => readCapture(bytes, files, topics, moment, run.signal));
  } catch (error) {
    run.signal.throwIfAborted();
    const isGone = error instanceof ObjectMissing || error instanceof RecordingError || isServiceError(error);
    if (!isGone) throw error;
    run.log.warn({ err: error, recording: recordingId }, "nothing could be kept of an alert's moment");
    return null;
  }
}

/** Captures of the same rule and device in the last hour, at most as many as count. */
async function countRecent(ctx: Ctx, { ruleId, deviceId }: { ruleId: string; deviceId: string }): Promise<number> {
  const [row] = await query(
    ctx,
    { count: int4 },
    Prisma.sql`select count(*)::int as count from (
      select from alerts a join alert_captures c on c.alert_id = a.uid
      where a.rule_id = ${ruleId} and a.device_id = ${deviceId} and a.uid > ${uidFloor("alert", databaseMs() - hourMs)}
      limit ${manyAnHour}::int) recent`,
  );
  return row?.count ?? 0;
}

const toColumns = ({ pictures, findings }: Captured) => ({
  pictures: JSON.parse(storedJson(pictures.map(({ bytes: _bytes, ...picture }) => picture))) as object[],
  findings: JSON.parse(storedJson(findings)) as object,
});

/** Makes a finished capture that of its alert, in place of an earlier one, unless alert or recording were deleted. */
async function attach(
  ctx: Ctx,
  { uid, alertId, recordingId }: { uid: string; alertId: string; recordingId: string },
  run: JobRun,
): Promise<void> {
  await transaction(ctx, async (tx) => {
    await fence(tx, run.attempt);
    const locked = await query(
      tx,
      { uid: text },
      Prisma.sql`select a.uid from alerts a join recordings r on r.uid = a.recording_id
        where a.uid = ${alertId} and r.uid = ${recordingId} and a.organization_id = ${tx.organizationId} for share`,
    );
    if (locked.length === 0) return;
    await execute(tx, Prisma.sql`update alert_captures set alert_id = null where alert_id = ${alertId}`);
    await execute(tx, Prisma.sql`update alert_captures set alert_id = ${alertId} where uid = ${uid}`);
    await announce(tx, "alert", alertId, "updated");
  });
}
