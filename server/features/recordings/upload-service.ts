import { refusalOfNames } from "@/domain/recordings/file-names";
import type { ConfirmUpload, FinalizeUpload, InitUpload, UploadUrls } from "@/domain/uploads/schema";
import { wireInteger } from "@/domain/wire-values";
import { audit } from "@/server/features/audit/service";
import { addDeviceStorage } from "@/server/features/recordings/device-storage-service";
import { enqueueProcessing } from "@/server/features/recordings/queue-service";
import type { RecordingResource, RecordingUploadStatus } from "@/server/features/recordings/resource";
import { findRecording, lockRecording } from "@/server/features/recordings/service";
import { chosenBucket } from "@/server/features/storage-configs/service";
import type { Confirmation, SignedUrls, UploadSessionResource } from "@/server/features/uploads/resource";
import {
  confirmFiles,
  finalizeSession,
  hashOfFiles,
  lookIntoBuckets,
  openSession,
  serializeSession,
  sessionStatus,
  sessionUrls,
  unknownSession,
  uploadedTotals,
  type UploadSession,
} from "@/server/features/uploads/session-service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { announce } from "@/server/platform/realtime/changes";

const findSession = (ctx: Ctx, recordingId: string) =>
  ctx.db.uploadSession.findFirst({ where: { recordingId, organizationId: ctx.organizationId } });

/** The session that a body names, which must belong to the recording. */
async function requireSession(tx: Ctx, recordingId: string, sessionUid: string): Promise<UploadSession> {
  const session = await findSession(tx, recordingId);
  if (session?.uid !== sessionUid) throw unknownSession(sessionUid);
  return session;
}

/** An upload stays open while its recording is `uploading`, or was archived meanwhile. */
function requireOpen(recording: RecordingResource, session: UploadSession): void {
  if (session.status === "finalized") throw invalid("session_uid", "This upload is finalized.");
  const isOpen = recording.status === "uploading" || recording.status === "archived";
  if (isOpen && session.status === "active") return;
  throw invalid("session_uid", "This upload was given up.");
}

const recordUploaderActivity = (tx: Ctx, recordingId: string) =>
  tx.db.recording.update({ where: { uid: recordingId }, data: { activeAt: databaseNow() } });

const auditUpload = (tx: Ctx, recording: RecordingResource, action: string, after?: Record<string, unknown>) =>
  audit(tx, {
    action: `recording.${action}`,
    targetType: "recording",
    targetId: recording.uid,
    targetName: recording.name,
    after: after ?? null,
  });

/**
 * Opens the upload session of a recording's files; the same files return the same session, others throw
 * `invalid("files")`. Files are stored in the named customer bucket, else in the installation's own store. Throws
 * `invalid("storage_config_uid")` for an unknown one, and `invalid("files")` when no name could be that of a recording.
 */
export async function initUpload(ctx: Ctx, recordingId: string, input: InitUpload): Promise<UploadSessionResource> {
  return transaction(ctx, async (tx) => {
    const recording = await lockRecording(tx, recordingId);
    const bucket = await chosenBucket(tx, input.storage_config_uid);
    const present = await findSession(tx, recordingId);
    if (present) {
      if (present.filesHash !== hashOfFiles(input.files))
        throw invalid("files", "The upload of this recording began with other files.");
      return serializeSession(await uploadedTotals(tx, present));
    }
    if (recording.status !== "uploading") throw invalid([], "This recording does not await files any more.");
    const refusal = refusalOfNames(input.files.map((file) => file.path));
    if (refusal !== null) throw invalid("files", refusal);
    const session = await openSession(
      tx,
      { recordingId, prefix: `${bucket}recordings/${tx.organizationId}/${recordingId}/` },
      input.files,
    );
    await recordUploaderActivity(tx, recordingId);
    await auditUpload(tx, recording, "upload_started", {
      files: session.totalFiles,
      bytes: wireInteger(session.totalBytes),
    });
    return serializeSession(session);
  });
}

/** Where to PUT the bytes of files that are not confirmed yet. Throws `invalid("file_paths")`. */
export async function uploadUrls(ctx: Ctx, recordingId: string, input: UploadUrls): Promise<SignedUrls> {
  return transaction(ctx, async (tx) => {
    const recording = await lockRecording(tx, recordingId);
    const session = await requireSession(tx, recordingId, input.session_uid);
    requireOpen(recording, session);
    const urls = await sessionUrls(tx, session, input);
    await recordUploaderActivity(tx, recordingId);
    return urls;
  });
}

/** Confirms uploaded files against what is stored: all files of the call or, throwing `invalid("files")`, none. */
export async function confirmUpload(ctx: Ctx, recordingId: string, input: ConfirmUpload): Promise<Confirmation> {
  const seen = await lookIntoBuckets(ctx, input);
  return transaction(ctx, async (tx) => {
    const recording = await lockRecording(tx, recordingId);
    const session = await requireSession(tx, recordingId, input.session_uid);
    requireOpen(recording, session);
    const { confirmed, totalConfirmed, confirmedBytes } = await confirmFiles(tx, session, input, seen);
    await tx.db.recording.update({
      where: { uid: recordingId },
      data: { activeAt: databaseNow(), sizeBytes: confirmedBytes },
    });
    await addDeviceStorage(tx, recording.device_id, confirmedBytes - BigInt(recording.size_bytes));
    await auditUpload(tx, recording, "files_confirmed", { confirmed_files: totalConfirmed });
    await announce(tx, "recording", recordingId, "updated");
    return { confirmed, total_confirmed: totalConfirmed, total_files: session.totalFiles };
  });
}

/**
 * Finalizes an upload: sets the recording to `processing` and queues its job in one transaction. Idempotent. Throws
 * `invalid("session_uid")` while files are pending.
 */
export async function finalizeUpload(
  ctx: Ctx,
  recordingId: string,
  input: FinalizeUpload,
): Promise<{ status: "finalized" }> {
  return transaction(ctx, async (tx) => {
    const recording = await lockRecording(tx, recordingId);
    const session = await requireSession(tx, recordingId, input.session_uid);
    if (session.status === "finalized") return { status: "finalized" };
    requireOpen(recording, session);
    await finalizeSession(tx, session);
    await tx.db.recording.update({
      where: { uid: recordingId },
      data: {
        activeAt: databaseNow(),
        sizeBytes: session.totalBytes,
        ...(recording.status === "uploading" && { status: "processing" }),
      },
    });
    await addDeviceStorage(tx, recording.device_id, session.totalBytes - BigInt(recording.size_bytes));
    await enqueueProcessing(tx, { uid: recordingId, sizeBytes: Number(session.totalBytes) });
    await auditUpload(tx, recording, "upload_finalized");
    await announce(tx, "recording", recordingId, "updated");
    return { status: "finalized" };
  });
}

/**
 * The progress of an upload, and then of processing its recording. Throws `not_found` before the session was opened.
 */
export async function uploadStatus(ctx: Ctx, recordingId: string): Promise<RecordingUploadStatus> {
  const recording = await findRecording(ctx, recordingId);
  const session = await findSession(ctx, recordingId);
  if (!session) throw notFound();
  const { status, error_message, progress } = recording;
  return { ...(await sessionStatus(ctx, session)), recording_status: status, error_message, progress };
}
