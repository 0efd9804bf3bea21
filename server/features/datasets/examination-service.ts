import pMap from "p-map";
import { NotAnItem, type Examined } from "@/server/features/datasets/examined";
import { setItemStatus } from "@/server/features/datasets/item-status-service";
import { itemsChanged } from "@/server/features/datasets/items-changed";
import { arrangeFrames, joinSequence } from "@/server/features/datasets/sequencing-service";
import { getDatasetByUid, publishUpdated } from "@/server/features/datasets/service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import type { JobRun } from "@/server/platform/jobs/handler";
import { enqueue } from "@/server/platform/jobs/queue";
import { announce, announceSoon } from "@/server/platform/realtime/changes";
import { int4 } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";

/** How many pending items are fetched at a time, and how many of them are read concurrently. */
const batch = { size: 50, concurrency: 2 } as const;

interface Pending {
  uid: string;
  key: string;
  storageKey: string;
  sizeBytes: bigint;
  copyFrom: string | null;
  /** What is known of it beside its file. */
  metadata: unknown;
}

const nextPending = (organizationId: string, datasetId: string): Promise<Pending[]> =>
  prisma.item.findMany({
    where: { datasetId, organizationId, status: "pending" },
    orderBy: { uid: "asc" },
    take: batch.size,
    select: { uid: true, key: true, storageKey: true, sizeBytes: true, copyFrom: true, metadata: true },
  });

/** Removes the items that would be read next, with `error` in the upload that added them. */
export async function removeNextPending(ctx: Ctx, datasetId: string, error: string): Promise<void> {
  for (const item of await nextPending(ctx.organizationId, datasetId)) await removeItem(ctx, datasetId, item, error);
}

/**
 * Reads media type, metadata and thumbnail of every pending item of a dataset. A file that cannot be an item is
 * removed, with the reason in the upload that added it. Another call continues where the last one stopped.
 */
export async function examineItems(organizationId: string, datasetId: string, run: JobRun): Promise<void> {
  const ctx = systemContext(prisma, organizationId);
  for (;;) {
    const items = await nextPending(organizationId, datasetId);
    if (items.length === 0) break;
    await pMap(items, (item) => examineOne(ctx, datasetId, item, run), { concurrency: batch.concurrency });
    announceSoon(ctx, "dataset", datasetId, "updated");
    run.signal.throwIfAborted();
  }
  await arrangeFrames(ctx, datasetId);
  await finishExamination(ctx, datasetId);
}

async function examineOne(ctx: Ctx, datasetId: string, item: Pending, run: JobRun): Promise<void> {
  try {
    if (item.copyFrom !== null) await copy(item, item.copyFrom);
    const file = {
      size: Number(item.sizeBytes),
      read: (offset: number, length: number) => objectStore().readBytes(item.storageKey, offset, length),
    };
    // Imported on demand: the decoders of pictures and videos are large, and most workers never need them.
    const { examine } = await import("@/server/features/datasets/media");
    const examined = await examine(file);
    await storeExamined(ctx, datasetId, item, examined);
  } catch (error) {
    if (!(error instanceof NotAnItem) && !run.lastAttempt) throw error;
    if (!(error instanceof NotAnItem)) run.log.error({ err: error, item: item.uid }, "a file could not be read");
    await removeItem(ctx, datasetId, item, error instanceof NotAnItem ? error.message : "The file could not be read.");
  }
}

async function copy({ storageKey, sizeBytes }: Pending, from: string): Promise<void> {
  const store = objectStore();
  if ((await store.head(storageKey))?.sizeBytes === Number(sizeBytes)) return;
  const source = await store.head(from);
  if (!source) throw new NotAnItem("The recording was deleted before its file was copied.");
  await store.put(storageKey, await store.read(from), Number(sizeBytes));
}

async function storeExamined(
  ctx: Ctx,
  datasetId: string,
  item: Pending,
  { mediaType, metadata, thumbnail, tint, sha256 }: Examined,
): Promise<void> {
  const thumbnailKey = thumbnail === null ? null : `${item.storageKey}-thumbnail`;
  if (thumbnail !== null && thumbnailKey !== null) {
    await objectStore().put(thumbnailKey, new Blob([new Uint8Array(thumbnail)]).stream(), thumbnail.length);
  }
  await transaction(ctx, async (tx) => {
    const { count } = await tx.db.item.updateMany({
      where: { uid: item.uid, status: "pending" },
      data: {
        mediaType,
        metadata: { ...(item.metadata as Prisma.InputJsonObject), ...metadata } as Prisma.InputJsonObject,
        thumbnailKey,
        tint,
        sha256,
      },
    });
    if (count === 0) return;
    await joinSequence(tx, datasetId, item.uid, mediaType);
    await setItemStatus(tx, Prisma.sql`i.uid = ${item.uid}`, "unattempted", ["pending"]);
  });
}

/** Deletes an item and its file; the upload that added it records its name and the reason. */
async function removeItem(ctx: Ctx, datasetId: string, item: Pending, error: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const { count } = await tx.db.item.deleteMany({ where: { uid: item.uid, status: "pending" } });
    if (count === 0) return;
    await tx.db.dataset.update({
      where: { uid: datasetId },
      data: { itemCount: { decrement: 1 }, sizeBytes: { decrement: item.sizeBytes } },
    });
    await execute(
      tx,
      Prisma.sql`update upload_sessions s set failures = s.failures || ${JSON.stringify([{ path: item.key, error }])}::jsonb
        from stored_files f where f.storage_key = ${item.storageKey} and s.uid = f.session_id`,
    );
    await tx.db.storedFile.deleteMany({ where: { storageKey: item.storageKey } });
  });
  await objectStore().delete(item.storageKey);
}

/** Completes the dataset once no item is pending, publishes the change and queues the jobs that wait for its items. */
async function finishExamination(ctx: Ctx, datasetId: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const [done] = await query(
      tx,
      { item_count: int4 },
      Prisma.sql`select d.item_count from datasets d where d.uid = ${datasetId} and d.status = 'creating'
          and not exists (select 1 from items i where i.dataset_id = d.uid and i.status = 'pending')
        for no key update of d`,
    );
    if (!done) return;
    await tx.db.dataset.update({
      where: { uid: datasetId },
      data: { status: done.item_count === 0 ? "failed" : "created" },
    });
    await publishUpdated(tx, await getDatasetByUid(tx, datasetId));
    await announce(tx, "dataset", datasetId, "updated");
    await itemsChanged(tx, datasetId);
    await enqueue(tx, jobs.makeTasks, { organizationId: tx.organizationId, datasetId });
    await enqueue(tx, jobs.startWaitingRuns, { organizationId: tx.organizationId, datasetId });
  });
}
