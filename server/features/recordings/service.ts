import { z } from "zod";
import { required } from "@/domain/field-messages";
import { processingVersion } from "@/domain/recordings/processing-version";
import { recordingStatuses } from "@/domain/recordings/recording-status";
import {
  type CreateRecording,
  maxReachDays,
  type RecordingFilters,
  type UpdateRecording,
} from "@/domain/recordings/schema";
import { isUid } from "@/domain/uid";
import { isoTime } from "@/domain/wire-values";
import { audit, difference } from "@/server/features/audit/service";
import { demoFilter } from "@/server/features/devices/demo-queries";
import { tagFilter, writeTags } from "@/server/features/devices/tag-queries";
import { addDeviceStorage } from "@/server/features/recordings/device-storage-service";
import { filesExist } from "@/server/features/recordings/file-service";
import { toFilmPrefix } from "@/server/features/recordings/film-prefix";
import { enqueueProcessing } from "@/server/features/recordings/queue-service";
import {
  type RecordingDetail,
  type RecordingResource,
  type RecordingRow,
  RecordingGap,
  serializeRecording,
} from "@/server/features/recordings/resource";
import { listTopics } from "@/server/features/recordings/topic-queries";
import { toSeriesPrefix } from "@/server/features/stored-series/store-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { likeText } from "@/server/platform/like-text";
import { keysetPage, toOrder, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { arrayOf, bool, float8, int4, int8, jsonb, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";
import { newUid, uidFloor, uidTime } from "@/server/platform/uid";

/** The columns of a recording under their wire names; the device's name is its current one while the device exists. */
const columns = Prisma.sql`
  r.uid, r.device_id, coalesce(d.name, r.device_name) as device_name, r.status,
  coalesce((r.end_ns - r.start_ns)::float8 / 1e9, extract(epoch from r.ended_at - r.started_at)::float8) as duration_seconds,
  r.size_bytes, r.topic_count, coalesce(r.tags, '{}') as tags, r.started_at, r.ended_at, r.created_at, r.name, r.error_message, r.warnings, r.gaps,
  r.format, r.message_count, r.start_ns::text as start_ns, r.end_ns::text as end_ns, r.stage, r.progress, r.demo`;
const recordingRow = {
  uid: text,
  device_id: text,
  device_name: text,
  status: oneOf(recordingStatuses),
  duration_seconds: float8,
  size_bytes: int8,
  topic_count: int4,
  tags: arrayOf(text),
  started_at: timestamptz,
  ended_at: timestamptz,
  created_at: timestamptz,
  name: text,
  error_message: nullable(text),
  warnings: jsonb(z.array(z.string())),
  gaps: jsonb(z.array(RecordingGap)),
  format: nullable(text),
  message_count: int8,
  start_ns: nullable(text),
  end_ns: nullable(text),
  stage: nullable(text),
  progress: nullable(float8),
  demo: bool,
};
const source = Prisma.sql`recordings r left join devices d on d.uid = r.device_id and d.organization_id = r.organization_id`;

/** `and …`: the recordings that the caller may access; a device only its own. */
const accessibleRecordings = (ctx: Ctx): Prisma.Sql =>
  Prisma.sql`r.organization_id = ${ctx.organizationId} ${ctx.actor.type === "device" ? Prisma.sql`and r.device_id = ${ctx.actor.id}` : Prisma.empty}`;

/** A recording that ran at an instant, or in some of the time between two; the index finds those begun shortly before. */
function coversTime({ from, to }: NonNullable<RecordingFilters["covers"]>): Prisma.Sql {
  const begins = Prisma.sql`r.started_at >= ${from}::timestamptz - ${`${maxReachDays} days`}::interval`;
  return from < to
    ? Prisma.sql`${begins} and r.started_at < ${to} and (r.started_at >= ${from} or r.ended_at > ${from})`
    : Prisma.sql`${begins} and r.started_at <= ${to} and r.ended_at >= ${from}`;
}

function conditions(ctx: Ctx, filters: RecordingFilters): Prisma.Sql {
  const parts = [accessibleRecordings(ctx)];
  const { since, until, started_since: startedSince, started_until: startedUntil, search } = filters;
  if (filters.device_id !== undefined) parts.push(Prisma.sql`r.device_id = ${filters.device_id}`);
  if (filters.status) parts.push(Prisma.sql`r.status = any(${[...filters.status]})`);
  if (since) parts.push(Prisma.sql`r.uid >= ${uidFloor("recording", since.getTime())}`);
  if (until) parts.push(Prisma.sql`r.uid < ${uidFloor("recording", until.getTime())}`);
  if (startedSince) parts.push(Prisma.sql`r.started_at >= ${startedSince}`);
  if (startedUntil) parts.push(Prisma.sql`r.started_at < ${startedUntil}`);
  if (filters.covers) parts.push(coversTime(filters.covers));
  if (filters.has_topic !== undefined) {
    parts.push(Prisma.sql`exists (select 1 from topics t where t.organization_id = ${ctx.organizationId}
      and t.name = ${filters.has_topic} and t.recording_id = r.uid)`);
  }
  if (filters.has_event) {
    parts.push(Prisma.sql`exists (select 1 from recording_event_types k where k.organization_id = ${ctx.organizationId}
      and k.type = any(${[...filters.has_event]}) and k.recording_id = r.uid)`);
  }
  if (search?.trim()) {
    const wanted = likeText(search.trim());
    parts.push(Prisma.sql`(r.name ilike ${`%${wanted}%`} or coalesce(d.name, r.device_name) ilike ${`%${wanted}%`}
      or r.uid like ${`${wanted}%`})`);
  }
  const tags = filters.tags?.length ? tagFilter("recording", ctx.organizationId, filters.tags, "r.uid") : Prisma.empty;
  return Prisma.sql`${Prisma.join(parts, " and ")} ${demoFilter("r", filters.demo)} ${tags}`;
}

/** Filters that are relative to now on the list's screen, so that they differ from page to page. */
type MovingFilter = "since" | "until" | "started_since" | "started_until" | "covers";

/** The columns a list of recordings may be ordered by beside its creation; each has an index. */
const orderColumns: Parameters<typeof toOrder<RecordingRow>>[2] = {
  started_at: { column: "r.started_at", key: (recording) => isoTime(recording.started_at) },
  size_bytes: { column: "r.size_bytes", key: (recording) => String(recording.size_bytes) },
  name: { column: "r.name", key: (recording) => recording.name },
};

/**
 * Recordings, newest first unless `ordering` says otherwise. `tags`: all of them; `status`: any of the list; `since` and
 * `until` by creation. A cursor is bound to its filters except those named in `moving`, which may change between pages.
 */
export async function listRecordings(
  ctx: Ctx,
  filters: RecordingFilters,
  { moving = [] }: { moving?: readonly MovingFilter[] } = {},
): Promise<Page<RecordingResource>> {
  const { limit, cursor, ...narrow } = filters;
  const bound = Object.fromEntries(Object.entries(narrow).filter(([name]) => !moving.some((each) => each === name)));
  const page = await keysetPage<RecordingRow>(ctx, {
    name: "recordings",
    filters: bound,
    page: { limit, cursor },
    ...toOrder<RecordingRow>(filters.ordering ?? "-created_at", "r.uid", orderColumns),
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        recordingRow,
        Prisma.sql`select ${columns} from ${source} where ${conditions(ctx, filters)} and ${where}
        order by ${orderBy} limit ${rows}`,
      ),
  });
  return { ...page, results: page.results.map(serializeRecording) };
}

/** One recording without its topics. Throws `not_found`, also for a device that does not own it. */
export async function findRecording(ctx: Ctx, uid: string): Promise<RecordingResource> {
  const [row] = await query(
    ctx,
    recordingRow,
    Prisma.sql`select ${columns} from ${source} where r.uid = ${uid} and ${accessibleRecordings(ctx)}`,
  );
  if (!row) throw notFound();
  return serializeRecording(row);
}

/** One recording with its topics, by name. Throws `not_found`, also for a device that does not own it. */
export async function getRecording(ctx: Ctx, uid: string): Promise<RecordingDetail> {
  const recording = await findRecording(ctx, uid);
  const [processing] = await query(
    ctx,
    { processing_seconds: nullable(float8), processing_cpu_seconds: nullable(float8), processed_by_earlier: bool },
    Prisma.sql`select processing_seconds, processing_cpu_seconds,
        processed_at is not null and coalesce(processing_version, 0) < ${processingVersion}::int as processed_by_earlier
      from recordings where uid = ${uid}`,
  );
  if (!processing) throw notFound();
  return { ...recording, ...processing, topics: await listTopics(ctx, uid) };
}

/** Locks and reads a recording inside a transaction. Throws `not_found`. */
export async function lockRecording(tx: Ctx, uid: string): Promise<RecordingResource> {
  await execute(
    tx,
    Prisma.sql`select 1 from recordings r where r.uid = ${uid} and ${accessibleRecordings(tx)} for update`,
  );
  return findRecording(tx, uid);
}

/** The device of a new recording: the calling device, else the one named. */
async function resolveDevice(
  ctx: Ctx,
  named: string | undefined,
): Promise<{ uid: string; name: string; demo: boolean }> {
  const own = ctx.actor.type === "device" ? ctx.actor.id : undefined;
  const uid = named ?? own;
  if (uid === undefined) throw invalid("device_id", required);
  const reachable = isUid("device", uid) && (own === undefined || own === uid);
  const device = reachable
    ? await ctx.db.device.findFirst({
        where: { uid, organizationId: ctx.organizationId },
        select: { uid: true, name: true, demo: true },
      })
    : null;
  if (!device) throw invalid("device_id", `Invalid pk "${uid}" - object does not exist.`);
  return device;
}

/** Creates a recording whose files follow. Throws `invalid("device_id")` for a device that the caller may not use. */
export async function createRecording(
  ctx: Ctx,
  input: CreateRecording & { demo?: boolean },
): Promise<RecordingResource> {
  return transaction(ctx, async (tx) => {
    const device = await resolveDevice(tx, input.device_id);
    const uid = newUid("recording");
    const createdAt = new Date(uidTime(uid));
    const startedAt = input.started_at ?? createdAt;
    await tx.db.recording.create({
      data: {
        uid,
        organizationId: tx.organizationId,
        deviceId: device.uid,
        deviceName: device.name,
        name: input.name ?? "",
        tags: input.tags ?? [],
        startedAt,
        endedAt: startedAt,
        activeAt: createdAt,
        demo: input.demo ?? device.demo,
        createdAt,
      },
    });
    if (input.tags?.length) await writeTags(tx, "recording", uid, input.tags);
    await audit(tx, {
      action: "recording.created",
      targetType: "recording",
      targetId: uid,
      targetName: input.name ?? "",
    });
    await announce(tx, "recording", uid, "created");
    return findRecording(tx, uid);
  });
}

/** Changes the given fields. Throws `invalid("status")` for a transition that is not allowed. */
export async function updateRecording(ctx: Ctx, uid: string, input: UpdateRecording): Promise<RecordingResource> {
  return transaction(ctx, async (tx) => {
    const before = await lockRecording(tx, uid);
    if (Object.keys(input).length === 0) return before;
    const status = input.status === "ready" ? await restoredStatus(tx, before) : input.status;
    await tx.db.recording.update({
      where: { uid },
      data: {
        ...(input.name !== undefined && { name: input.name }),
        ...(input.tags !== undefined && { tags: input.tags }),
        ...(status !== undefined && { status }),
      },
    });
    if (input.tags !== undefined) await writeTags(tx, "recording", uid, input.tags);
    const after = await findRecording(tx, uid);
    const changed = difference({ ...before }, { ...after });
    const action = status === "archived" ? "recording.archived" : "recording.updated";
    await audit(tx, { action, targetType: "recording", targetId: uid, targetName: after.name, ...changed });
    await announce(tx, "recording", uid, "updated");
    return after;
  });
}

/** The status that an archived recording returns to: `ready`, or `processing` when that has not finished. */
async function restoredStatus(tx: Ctx, recording: RecordingResource): Promise<"ready" | "processing"> {
  const refuse = (message: string) => invalid("status", message);
  if (recording.status !== "archived") throw refuse("Only an archived recording can be made ready again.");
  if (recording.error_message !== null) throw refuse("It could not be processed. Have it processed again instead.");
  if (!(await filesExist(tx, recording.uid))) throw refuse("Its files are not there any more, or never were.");
  const { processedAt } = await tx.db.recording.findUniqueOrThrow({
    where: { uid: recording.uid },
    select: { processedAt: true },
  });
  return processedAt === null ? "processing" : "ready";
}

/**
 * Deletes a recording with its events, topics, series, signals, files and, unless `keepCaptures`, what alerts kept of it.
 * The alerts stay, detached from it.
 */
export async function deleteRecording(ctx: Ctx, uid: string, { keepCaptures = false } = {}): Promise<void> {
  await transaction(ctx, async (tx) => {
    const recording = await lockRecording(tx, uid);
    await tx.db.alert.updateMany({
      where: { recordingId: uid, organizationId: tx.organizationId },
      data: { recordingId: null },
    });
    const session = await tx.db.uploadSession.findUnique({ where: { recordingId: uid }, select: { prefix: true } });
    const signals = await tx.db.signalSet.findUnique({ where: { recordingId: uid }, select: { prefix: true } });
    // Their pictures are removed by a sweep.
    const own = { recordingId: uid, organizationId: tx.organizationId };
    if (!keepCaptures) await tx.db.alertCapture.updateMany({ where: own, data: { alertId: null } });
    const pack = await tx.db.seriesPack.findUnique({ where: own, select: { storageKey: true } });
    const filmstrip = await tx.db.filmstrip.findUnique({ where: own, select: { storageKey: true } });
    await tx.db.recording.delete({ where: { uid } });
    await addDeviceStorage(tx, recording.device_id, -BigInt(recording.size_bytes));
    if (session) await enqueue(tx, jobs.deleteStoredObjects, { prefix: session.prefix });
    if (signals && !signals.prefix.startsWith(session?.prefix ?? signals.prefix)) {
      await enqueue(tx, jobs.deleteStoredObjects, { prefix: signals.prefix });
    }
    if (pack && !(session && pack.storageKey.startsWith(session.prefix))) {
      await enqueue(tx, jobs.deleteStoredObjects, { prefix: toSeriesPrefix(tx.organizationId, uid) });
    }
    if (filmstrip) await enqueue(tx, jobs.deleteStoredObjects, { prefix: toFilmPrefix(tx.organizationId, uid) });
    await audit(tx, {
      action: "recording.deleted",
      targetType: "recording",
      targetId: uid,
      targetName: recording.name,
    });
    await announce(tx, "recording", uid, "deleted");
  });
}

/**
 * Processes the files of a recording again, which also restores an archived one. Throws `invalid("status")` without
 * files.
 */
export async function reprocessRecording(ctx: Ctx, uid: string): Promise<RecordingResource> {
  return transaction(ctx, async (tx) => {
    const recording = await lockRecording(tx, uid);
    if (recording.status === "processing") return recording;
    if (recording.status === "uploading") throw invalid("status", "Its upload is not finished.");
    if (!(await filesExist(tx, uid))) throw invalid("status", "Its files are not there any more, or never were.");
    await tx.db.recording.update({
      where: { uid },
      data: { status: "processing", errorMessage: null, stage: null, progress: null, processedAt: null },
    });
    await enqueueProcessing(tx, { uid, sizeBytes: Number(recording.size_bytes) });
    await audit(tx, {
      action: "recording.reprocessed",
      targetType: "recording",
      targetId: uid,
      targetName: recording.name,
    });
    await announce(tx, "recording", uid, "updated");
    return findRecording(tx, uid);
  });
}

/**
 * The SQL expression for the status after processing: the outcome, unless the recording was archived meanwhile. An
 * archived one is processed too and stays archived; `error_message` or `processed_at` then hold the outcome.
 */
export const finishStatus = (outcome: "ready" | "error"): Prisma.Sql =>
  Prisma.sql`case when status = 'archived' then 'archived' else ${outcome} end`;
