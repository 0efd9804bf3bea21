import pMap from "p-map";
import { NotAnItem, type Examined } from "@/server/features/datasets/examined";
import { setItemStatus } from "@/server/features/datasets/item-status-service";
import { itemsChanged, tasksMissing } from "@/server/features/datasets/items-changed";
import { arrangeFrames, joinSequences } from "@/server/features/datasets/sequencing-service";
import { getDatasetByUid, publishUpdated } from "@/server/features/datasets/service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import type { JobRun } from "@/server/platform/jobs/handler";
import { enqueue } from "@/server/platform/jobs/queue";
import { announce, announceSoon } from "@/server/platform/realtime/changes";
import { int4, text } from "@/server/platform/rows";
import { toByteStream } from "@/server/platform/storage/byte-stream";
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
    const read: Read[] = [];
    try {
      const examine = async (item: Pending) => read.push(...(await examineOne(ctx, datasetId, item, run)));
      await pMap(items, examine, { concurrency: batch.concurrency });
    } finally {
      await storeExamined(ctx, datasetId, read);
    }
    announceSoon(ctx, "dataset", datasetId, "updated");
    run.signal.throwIfAborted();
  }
  await arrangeFrames(ctx, datasetId);
  await finishExamination(ctx, datasetId);
}

/** An item with what was read from its file; its thumbnail is stored already. */
interface Read {
  item: Pending;
  examined: Examined;
  thumbnailKey: string | null;
}

/** Reads the file of an item, and removes one whose file cannot be an item. Resolves to what is to be written of it. */
async function examineOne(ctx: Ctx, datasetId: string, item: Pending, run: JobRun): Promise<Read[]> {
  try {
    if (item.copyFrom !== null) await copy(item, item.copyFrom);
    const file = {
      size: Number(item.sizeBytes),
      read: (offset: number, length: number) => objectStore().readBytes(item.storageKey, offset, length),
    };
    // Imported on demand: the decoders of pictures and videos are large, and most workers never need them.
    const { examine } = await import("@/server/features/datasets/media");
    const examined = await examine(file, run.signal);
    const { thumbnail } = examined;
    const thumbnailKey = thumbnail === null ? null : `${item.storageKey}-thumbnail`;
    if (thumbnail !== null && thumbnailKey !== null)
      await objectStore().put(thumbnailKey, toByteStream(thumbnail), thumbnail.length);
    const read = [{ item, examined, thumbnailKey }];
    if (!run.lastAttempt) return read;
    // One that cannot be written is removed, so that the others stay.
    await storeExamined(ctx, datasetId, read);
    return [];
  } catch (error) {
    // A worker that stops says nothing about the file.
    run.signal.throwIfAborted();
    if (!(error instanceof NotAnItem) && !run.lastAttempt) throw error;
    if (!(error instanceof NotAnItem)) run.log.error({ err: error, item: item.uid }, "a file could not be read");
    await removeItem(ctx, datasetId, item, error instanceof NotAnItem ? error.message : "The file could not be read.");
    return [];
  }
}

async function copy({ storageKey, sizeBytes }: Pending, from: string): Promise<void> {
  const store = objectStore();
  if ((await store.head(storageKey))?.sizeBytes === Number(sizeBytes)) return;
  const source = await store.head(from);
  if (!source) throw new NotAnItem("The recording was deleted before its file was copied.");
  await store.put(storageKey, await store.read(from), Number(sizeBytes));
}

/** Writes what was read from the files of items, in one transaction. */
async function storeExamined(ctx: Ctx, datasetId: string, read: readonly Read[]): Promise<void> {
  if (read.length === 0) return;
  const rows = read.map(({ item, examined: { mediaType, metadata, tint, sha256 }, thumbnailKey }) => ({
    uid: item.uid,
    media_type: mediaType,
    metadata: { ...(item.metadata as Prisma.InputJsonObject), ...metadata },
    thumbnail_key: thumbnailKey,
    tint,
    sha256,
  }));
  await transaction(ctx, async (tx) => {
    const written = await query(
      tx,
      { uid: text },
      Prisma.sql`update items i set media_type = v.media_type, metadata = v.metadata, thumbnail_key = v.thumbnail_key,
          tint = v.tint, sha256 = v.sha256, updated_at = now()
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as v(uid text, media_type text, metadata jsonb, thumbnail_key text, tint text, sha256 text)
        where i.uid = v.uid and i.uid = any(${rows.map(({ uid }) => uid)}) and i.status = 'pending'
        returning i.uid`,
    );
    if (written.length === 0) return;
    const uids = written.map(({ uid }) => uid);
    await joinSequences(tx, datasetId, uids);
    await setItemStatus(tx, Prisma.sql`i.uid = any(${uids})`, "unattempted", ["pending"]);
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
    await enqueue(tx, jobs.deleteStoredKeys, { keys: [item.storageKey] });
  });
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
    await tasksMissing(tx, { datasetId });
    await enqueue(tx, jobs.startWaitingRuns, { organizationId: tx.organizationId, datasetId });
  });
}
