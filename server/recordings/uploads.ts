import { createHash } from "node:crypto";
import { audit } from "@/server/audit/service";
import { announce } from "@/server/changes";
import type { Ctx } from "@/server/context";
import { Prisma } from "@/server/database/generated/client";
import { execute, query, transaction } from "@/server/db";
import { invalid, notFound } from "@/server/errors";
import { addDeviceStorage } from "@/server/recordings/device-storage";
import { severalAtOnce } from "@/server/recordings/files";
import { wireInteger } from "@/server/recordings/resource";
import type { Confirmation, RecordingResource, SignedUrls, UploadSessionResource, UploadStatus } from "@/server/recordings/resource";
import type { ConfirmUpload, FinalizeUpload, InitUpload, UploadUrls } from "@/server/recordings/schema";
import { enqueueProcessing, findRecording, lockRecording } from "@/server/recordings/service";
import { objectStore } from "@/server/storage/current";
import { uuidv7 } from "@/server/uid";

type Session = NonNullable<Awaited<ReturnType<typeof sessionOf>>>;

const sessionOf = (ctx: Ctx, recordingId: string) =>
  ctx.db.uploadSession.findFirst({ where: { recordingId, organizationId: ctx.organizationId } });

/** The session a body names, which must be the recording's own. */
async function namedSession(tx: Ctx, recordingId: string, sessionUid: string): Promise<Session> {
  const session = await sessionOf(tx, recordingId);
  if (session?.uid !== sessionUid) throw invalid("session_uid", `Invalid pk "${sessionUid}" - object does not exist.`);
  return session;
}

/** An upload goes on while its recording is `uploading`; archiving the recording meanwhile does not end it. */
function requireOpen(recording: RecordingResource, session: Session): void {
  if (session.status !== "active") throw invalid("session_uid", "This upload is finalized.");
  if (recording.status === "uploading" || recording.status === "archived") return;
  throw invalid("session_uid", "This upload was given up.");
}

const sawUploader = (tx: Ctx, recordingId: string) =>
  tx.db.recording.update({ where: { uid: recordingId }, data: { activeAt: new Date() } });

const serializeSession = (session: Session): UploadSessionResource => ({
  uid: session.uid,
  total_files: session.totalFiles,
  total_bytes: wireInteger(session.totalBytes),
  confirmed_files: session.confirmedFiles,
  confirmed_bytes: wireInteger(session.confirmedBytes),
  s3_prefix: session.prefix,
  status: session.status === "finalized" ? "finalized" : "active",
});

function hashOf(files: InitUpload["files"]): string {
  const sorted = files.map((file) => JSON.stringify([file.path, file.size_bytes])).sort();
  return createHash("sha256").update(sorted.join("\n")).digest("hex");
}

/**
 * Names the files of a recording and opens the session that brings them. The same files again are the same session; others
 * throw `invalid("files")`.
 */
export async function initUpload(ctx: Ctx, recordingId: string, input: InitUpload): Promise<UploadSessionResource> {
  return transaction(ctx, async (tx) => {
    const recording = await lockRecording(tx, recordingId);
    if (typeof input.storageConfigUid === "string") {
      throw invalid("storage_config_uid", "Uploads to a storage configuration of your own are not supported.");
    }
    const filesHash = hashOf(input.files);
    const present = await sessionOf(tx, recordingId);
    if (present) {
      if (present.filesHash !== filesHash) throw invalid("files", "The upload of this recording began with other files.");
      return serializeSession(present);
    }
    if (recording.status !== "uploading") throw invalid("non_field_errors", "This recording does not await files any more.");

    const session = await tx.db.uploadSession.create({
      data: {
        uid: uuidv7(),
        organizationId: tx.organizationId,
        recordingId,
        filesHash,
        prefix: `recordings/${tx.organizationId}/${recordingId}/`,
        totalFiles: input.files.length,
        totalBytes: input.files.reduce((total, file) => total + BigInt(file.size_bytes), 0n),
      },
    });
    await tx.db.storedFile.createMany({
      data: input.files.map((file, position) => {
        const uid = uuidv7();
        return {
          uid,
          organizationId: tx.organizationId,
          sessionId: session.uid,
          recordingId,
          path: file.path,
          storageKey: `${session.prefix}${uid}`,
          sizeBytes: BigInt(file.size_bytes),
          position,
        };
      }),
    });
    await sawUploader(tx, recordingId);
    await audit(tx, {
      action: "recording.upload_started",
      targetType: "recording",
      targetId: recordingId,
      targetName: recording.name,
      after: { files: session.totalFiles, bytes: wireInteger(session.totalBytes) },
    });
    return serializeSession(session);
  });
}

const accountOf = (ctx: Ctx): string =>
  ctx.actor.type === "device" ? `device:${ctx.actor.id}` : `user:${ctx.actor.userId ?? ctx.actor.id}`;

/**
 * Where to PUT the bytes of files that are not confirmed yet. A URL that begins with `/` is on our own server. Throws
 * `invalid("file_paths")` naming a path that is not of this upload or is confirmed.
 */
export async function uploadUrls(ctx: Ctx, recordingId: string, input: UploadUrls): Promise<SignedUrls> {
  return transaction(ctx, async (tx) => {
    const recording = await lockRecording(tx, recordingId);
    const session = await namedSession(tx, recordingId, input.sessionUid);
    requireOpen(recording, session);
    const paths = [...new Set(input.filePaths)];
    const rows = await tx.db.storedFile.findMany({ where: { sessionId: session.uid, path: { in: paths } } });
    const files = new Map(rows.map((file) => [file.path, file]));
    const store = objectStore();
    const urls = await Promise.all(
      paths.map(async (path) => {
        const file = files.get(path);
        if (!file) throw invalid("file_paths", `"${shown(path)}" is not a file of this upload.`);
        if (file.confirmedAt) throw invalid("file_paths", `"${shown(path)}" is confirmed already.`);
        const { url, headers } = await store.uploadUrl({
          key: file.storageKey,
          sizeBytes: Number(file.sizeBytes),
          account: accountOf(tx),
          ttlSeconds: input.ttlSeconds ?? 3_600,
        });
        return { path, put_url: url, s3_key: file.storageKey, headers };
      }),
    );
    await sawUploader(tx, recordingId);
    return { urls };
  });
}

const shown = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path);
const bareTag = (etag: string): string => etag.trim().replace(/^"|"$/g, "").toLowerCase();

interface FileRow {
  uid: string;
  path: string;
  storage_key: string;
  size_bytes: bigint;
  confirmed_at: Date | null;
}

/**
 * Takes the client's word that files arrived, holding size and entity tag against what is stored; from then on their bytes do not
 * change. All of the call's files or, throwing `invalid("files")` with what is wrong where, none.
 */
export async function confirmUpload(ctx: Ctx, recordingId: string, input: ConfirmUpload): Promise<Confirmation> {
  return transaction(ctx, async (tx) => {
    const recording = await lockRecording(tx, recordingId);
    const session = await namedSession(tx, recordingId, input.sessionUid);
    requireOpen(recording, session);
    // Locked, so that no upload can replace bytes between this check and the commit.
    const rows = await query<FileRow>(
      tx,
      Prisma.sql`select uid, path, storage_key, size_bytes, confirmed_at from stored_files
        where session_id = ${session.uid} and path = any(${input.files.map((file) => file.path)}) order by uid for update`,
    );
    const known = new Map(rows.map((file) => [file.path, file]));
    const confirmed = new Map<string, string>();
    const problems = await severalAtOnce(input.files, async (claim, position) => {
      const file = known.get(claim.path);
      if (!file) return `${position}.path: It is not a file of this upload.`;
      const stored = await objectStore().head(file.storage_key);
      if (!stored) return `${position}.path: Nothing was uploaded for it yet.`;
      if (claim.size_bytes !== Number(file.size_bytes) || stored.sizeBytes !== Number(file.size_bytes)) {
        return `${position}.size_bytes: ${stored.sizeBytes} bytes are stored, ${file.size_bytes} were declared.`;
      }
      if (bareTag(claim.etag) !== bareTag(stored.etag)) return `${position}.etag: The stored bytes have another tag.`;
      confirmed.set(file.uid, stored.etag);
      return null;
    });
    const faults = problems.filter((problem) => problem !== null);
    if (faults.length > 0) throw invalid("files", ...faults.slice(0, 20));

    await execute(
      tx,
      Prisma.sql`update stored_files f set etag = c.etag, confirmed_at = coalesce(f.confirmed_at, now())
        from unnest(${[...confirmed.keys()]}::text[], ${[...confirmed.values()]}::text[]) as c(uid, etag) where f.uid = c.uid`,
    );
    const total = await tx.db.storedFile.aggregate({
      where: { sessionId: session.uid, confirmedAt: { not: null } },
      _count: true,
      _sum: { sizeBytes: true },
    });
    const confirmedBytes = total._sum.sizeBytes ?? 0n;
    await tx.db.uploadSession.update({
      where: { uid: session.uid },
      data: { confirmedFiles: total._count, confirmedBytes },
    });
    await tx.db.recording.update({
      where: { uid: recordingId },
      data: { activeAt: new Date(), sizeBytes: confirmedBytes },
    });
    await addDeviceStorage(tx, recording.device_id, confirmedBytes - BigInt(recording.size_bytes));
    await audit(tx, {
      action: "recording.files_confirmed",
      targetType: "recording",
      targetId: recordingId,
      targetName: recording.name,
      after: { confirmed_files: total._count },
    });
    await announce(tx, "recording", recordingId, "updated");
    return { confirmed: confirmed.size, total_confirmed: total._count, total_files: session.totalFiles };
  });
}

/**
 * Ends an upload: the recording is `processing` and its job exists from the same moment on. Again is the same answer. Throws
 * `invalid("session_uid")` while files are pending.
 */
export async function finalizeUpload(ctx: Ctx, recordingId: string, input: FinalizeUpload): Promise<{ status: "finalized" }> {
  return transaction(ctx, async (tx) => {
    const recording = await lockRecording(tx, recordingId);
    const session = await namedSession(tx, recordingId, input.sessionUid);
    if (session.status === "finalized") return { status: "finalized" };
    requireOpen(recording, session);
    const pending = session.totalFiles - session.confirmedFiles;
    if (pending > 0) {
      throw invalid("session_uid", pending === 1 ? "1 file is not confirmed yet." : `${pending} files are not confirmed yet.`);
    }
    await tx.db.uploadSession.update({
      where: { uid: session.uid },
      data: { status: "finalized", finalizedAt: new Date() },
    });
    await tx.db.recording.update({
      where: { uid: recordingId },
      data: {
        activeAt: new Date(),
        sizeBytes: session.totalBytes,
        ...(recording.status === "uploading" && { status: "processing" }),
      },
    });
    await addDeviceStorage(tx, recording.device_id, session.totalBytes - BigInt(recording.size_bytes));
    await enqueueProcessing(tx, recordingId);
    await audit(tx, {
      action: "recording.upload_finalized",
      targetType: "recording",
      targetId: recordingId,
      targetName: recording.name,
    });
    await announce(tx, "recording", recordingId, "updated");
    return { status: "finalized" };
  });
}

/** How far an upload, and then the processing of its recording, got. Throws `not_found` before the session began. */
export async function uploadStatus(ctx: Ctx, recordingId: string): Promise<UploadStatus> {
  const recording = await findRecording(ctx, recordingId);
  const session = await sessionOf(ctx, recordingId);
  if (!session) throw notFound();
  const pending = await ctx.db.storedFile.findMany({
    where: { sessionId: session.uid, confirmedAt: null },
    orderBy: { position: "asc" },
    select: { path: true },
  });
  return {
    session_uid: session.uid,
    status: session.status === "finalized" ? "finalized" : "active",
    total_files: session.totalFiles,
    confirmed_files: session.confirmedFiles,
    total_bytes: wireInteger(session.totalBytes),
    confirmed_bytes: wireInteger(session.confirmedBytes),
    pending_paths: pending.map((file) => file.path),
    recording_status: recording.status,
    error_message: recording.error_message,
    progress: recording.progress,
  };
}
