import type { DatasetPath, FinalizeDatasetUpload } from "@/domain/datasets/schema";
import type { ConfirmUpload, InitUpload, UploadUrls } from "@/domain/uploads/schema";
import { wireInteger } from "@/domain/wire-values";
import { audit } from "@/server/features/audit/service";
import type { DatasetUploadStatus } from "@/server/features/datasets/resource";
import { getDataset, lockDataset, getPrefix } from "@/server/features/datasets/service";
import { mergeMetadata } from "@/server/features/devices/service";
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
  type UploadSession,
} from "@/server/features/uploads/session-service";
import { databaseMs } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, transaction } from "@/server/platform/db";
import { invalid, invalidInput, notFound } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { announce } from "@/server/platform/realtime/changes";
import { int4 } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

/**
 * Queues the examination of a dataset's new items, in the transaction that created them; one that is to wait for more of
 * them waits from the first on. The jobs of one dataset run one after the other.
 */
export const enqueueExamination = (tx: Ctx, datasetId: string, afterMs = 0): Promise<void> =>
  enqueue(
    tx,
    jobs.examineItems,
    { organizationId: tx.organizationId, datasetId },
    {
      queue: `dataset-${datasetId}`,
      key: `datasets.examine:${datasetId}`,
      ...(afterMs > 0 && { keepTime: true, runAt: new Date(databaseMs() + afterMs) }),
    },
  );

/** Reads a session of the dataset, locked until the transaction ends. Throws `invalid("session_uid")`. */
async function namedSession(tx: Ctx, datasetId: string, sessionUid: string): Promise<UploadSession> {
  await execute(
    tx,
    Prisma.sql`select 1 from upload_sessions where uid = ${sessionUid} and dataset_id = ${datasetId} for no key update`,
  );
  const session = await tx.db.uploadSession.findFirst({
    where: { uid: sessionUid, datasetId, organizationId: tx.organizationId },
  });
  if (!session) throw unknownSession(sessionUid);
  return session;
}

function requireOpen(session: UploadSession): void {
  if (session.status === "finalized") throw invalid("session_uid", "This upload is finalized.");
  if (session.status !== "active") throw invalid("session_uid", "This upload was given up.");
}

/**
 * Opens an upload session of a dataset, which may have several; the same files return the same open session. Files are
 * stored in the given bucket, else in the dataset's, else in the installation's storage. Throws `invalid("files")` for
 * names that the dataset contains already, and `invalid("storage_config_uid")`.
 */
export async function initDatasetUpload(
  ctx: Ctx,
  path: DatasetPath,
  input: InitUpload,
): Promise<UploadSessionResource> {
  return transaction(ctx, async (tx) => {
    const dataset = await lockDataset(tx, (await getDataset(tx, path)).uid);
    const prefix = await getPrefix(tx, dataset, input.storage_config_uid ?? dataset.storage_config_uid);
    const present = await tx.db.uploadSession.findFirst({
      where: { datasetId: dataset.uid, filesHash: hashOfFiles(input.files), status: "active" },
    });
    if (present) return serializeSession(present);
    const paths = input.files.map((file) => file.path);
    const taken = await tx.db.item.findMany({
      where: { datasetId: dataset.uid, key: { in: paths } },
      select: { key: true },
      take: 20,
    });
    if (taken.length > 0) {
      throw invalidInput(
        taken.map(({ key }) => ({
          path: ["files", paths.indexOf(key), "path"],
          message: "The dataset has an item of this name.",
        })),
      );
    }
    const session = await openSession(tx, { datasetId: dataset.uid, prefix }, input.files);
    await audit(tx, {
      action: "dataset.upload_started",
      targetType: "dataset",
      targetId: dataset.uid,
      targetName: dataset.name,
      after: { files: session.totalFiles, bytes: wireInteger(session.totalBytes) },
    });
    return serializeSession(session);
  });
}

/** Signed URLs for uploading files that are not confirmed yet. Throws `invalid("file_paths")`. */
export async function datasetUploadUrls(ctx: Ctx, path: DatasetPath, input: UploadUrls): Promise<SignedUrls> {
  return transaction(ctx, async (tx) => {
    const session = await namedSession(tx, (await getDataset(tx, path)).uid, input.session_uid);
    requireOpen(session);
    return sessionUrls(tx, session, input);
  });
}

/** Confirms uploaded files: all files of the call or, throwing `invalid("files")`, none. */
export async function confirmDatasetUpload(ctx: Ctx, path: DatasetPath, input: ConfirmUpload): Promise<Confirmation> {
  const seen = await lookIntoBuckets(ctx, input);
  return transaction(ctx, async (tx) => {
    const dataset = await getDataset(tx, path);
    const session = await namedSession(tx, dataset.uid, input.session_uid);
    requireOpen(session);
    const { confirmed, totalConfirmed } = await confirmFiles(tx, session, input, seen);
    await audit(tx, {
      action: "dataset.files_confirmed",
      targetType: "dataset",
      targetId: dataset.uid,
      targetName: dataset.name,
      after: { confirmed_files: totalConfirmed },
    });
    return { confirmed, total_confirmed: totalConfirmed, total_files: session.totalFiles };
  });
}

/**
 * Finalizes an upload: its files become items with the metadata given, `pending` until they are read. Repeated calls return
 * the same. Throws `invalid("session_uid")` while files are not confirmed, or when another upload added one of its names
 * meanwhile, and `invalid("files")` for a path that is no file of it.
 */
export async function finalizeDatasetUpload(
  ctx: Ctx,
  path: DatasetPath,
  input: FinalizeDatasetUpload,
): Promise<{ status: "finalized" }> {
  return transaction(ctx, async (tx) => {
    const dataset = await lockDataset(tx, (await getDataset(tx, path)).uid);
    const session = await namedSession(tx, dataset.uid, input.session_uid);
    if (session.status === "finalized") return { status: "finalized" };
    requireOpen(session);
    await finalizeSession(tx, session);
    const files = await tx.db.storedFile.findMany({ where: { sessionId: session.uid }, orderBy: { position: "asc" } });
    const given = new Map(input.files?.map(({ path, metadata }) => [path, metadata]));
    const items = files.map(({ path: key, storageKey, sizeBytes }): NewItem => {
      const metadata = mergeMetadata({}, given.get(key)) as Prisma.InputJsonObject;
      return { key, storageKey, sizeBytes, metadata };
    });
    const known = new Set(items.map(({ key }) => key));
    const unknown = input.files?.findIndex(({ path }) => !known.has(path)) ?? -1;
    if (unknown >= 0) throw invalid(["files", unknown, "path"], "It is not a file of this upload.");
    await addItems(tx, dataset.uid, items);
    await announce(tx, "dataset", dataset.uid, "updated");
    await audit(tx, {
      action: "dataset.upload_finalized",
      targetType: "dataset",
      targetId: dataset.uid,
      targetName: dataset.name,
    });
    return { status: "finalized" };
  });
}

/** A file that becomes an item; `copyFrom` is the key of the stored object to copy. */
export interface NewItem {
  key: string;
  storageKey: string;
  sizeBytes: bigint;
  recordingId?: string;
  copyFrom?: string;
  /** For a frame, the addition of moments that made it, and when its message was logged. */
  momentId?: string;
  tNs?: bigint;
  /** Beside what will be read from the file. */
  metadata?: Prisma.InputJsonObject;
  /** Who added it, where that is not the caller. */
  addedById?: string | null;
}

/**
 * Creates items that the worker will read, `examineAfterMs` later where more of them follow. Throws `invalid("session_uid")`
 * for a name that the dataset contains already.
 */
export async function addItems(
  tx: Ctx,
  datasetId: string,
  files: readonly NewItem[],
  examineAfterMs = 0,
): Promise<void> {
  const { count } = await tx.db.item.createMany({
    data: files.map((file) => ({
      addedById: tx.actor.userId,
      ...file,
      uid: uuidv7(),
      organizationId: tx.organizationId,
      datasetId,
    })),
    skipDuplicates: true,
  });
  if (count < files.length) throw invalid("session_uid", "Another upload brought a file of the same name meanwhile.");
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0n);
  await tx.db.dataset.update({
    where: { uid: datasetId },
    data: { itemCount: { increment: count }, sizeBytes: { increment: bytes }, status: "creating" },
  });
  await enqueueExamination(tx, datasetId, examineAfterMs);
}

/**
 * The progress of an upload and of reading its files. Throws `not_found` for an unknown dataset or one without uploads,
 * and `invalid("session_uid")`.
 */
export async function datasetUploadStatus(
  ctx: Ctx,
  path: DatasetPath,
  sessionUid: string | undefined,
): Promise<DatasetUploadStatus> {
  const dataset = await getDataset(ctx, path);
  const session = await ctx.db.uploadSession.findFirst({
    where: {
      datasetId: dataset.uid,
      organizationId: ctx.organizationId,
      ...(sessionUid !== undefined && { uid: sessionUid }),
    },
    orderBy: { uid: "desc" },
  });
  if (!session) throw sessionUid === undefined ? notFound() : unknownSession(sessionUid);
  const [pending] = await query(
    ctx,
    { count: int4 },
    Prisma.sql`select count(*)::int as count from items i join stored_files f on f.storage_key = i.storage_key
      where i.dataset_id = ${dataset.uid} and i.status = 'pending' and f.session_id = ${session.uid}`,
  );
  return {
    ...(await sessionStatus(ctx, session)),
    dataset_status: dataset.status,
    pending_items: pending?.count ?? 0,
    failed_files: session.failures as { path: string; error: string }[],
  };
}
