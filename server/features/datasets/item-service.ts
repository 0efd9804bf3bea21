import type { DatasetPath, UpdateItem } from "@/domain/datasets/schema";
import { audit, difference } from "@/server/features/audit/service";
import { deleteItems } from "@/server/features/datasets/item-deletion-service";
import { getItem } from "@/server/features/datasets/item-queries";
import { itemsChanged } from "@/server/features/datasets/items-changed";
import type { ItemResource } from "@/server/features/datasets/resource";
import { closeGap } from "@/server/features/datasets/sequencing-service";
import { getDataset, getDatasetByUid, publishUpdated } from "@/server/features/datasets/service";
import { mergeMetadata } from "@/server/features/devices/service";
import { requireAuthor, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { bool, jsonbObject, type Native, nullable, text } from "@/server/platform/rows";

const itemRow = {
  uid: text,
  key: text,
  metadata: jsonbObject,
  is_pending: bool,
  added_by_id: nullable(text),
};
type StoredItem = Native<typeof itemRow>;

async function readItem(tx: Ctx, datasetId: string, uid: string, lock = Prisma.empty): Promise<StoredItem> {
  const [row] = await query(
    tx,
    itemRow,
    Prisma.sql`select i.uid, i.key, i.metadata, i.status = 'pending' as is_pending, i.added_by_id
      from items i where i.uid = ${uid} and i.dataset_id = ${datasetId} ${lock}`,
  );
  if (!row) throw notFound();
  return row;
}

/** Refuses to change an item while the worker reads its file. */
function requireRead({ is_pending: isPending }: StoredItem): void {
  if (isPending) throw invalid("status", "The file of this item is still being read.");
}

/** Merges metadata of users into an item's. Throws `not_found`, `invalid`. */
export async function updateItem(ctx: Ctx, path: DatasetPath, uid: string, input: UpdateItem): Promise<ItemResource> {
  await transaction(ctx, async (tx) => {
    const dataset = await getDataset(tx, path);
    const item = await readItem(tx, dataset.uid, uid, Prisma.sql`for no key update of i`);
    requireRead(item);
    const metadata = mergeMetadata(item.metadata, input.metadata);
    const changed = difference({ metadata: item.metadata }, { metadata });
    if (changed) {
      await tx.db.item.update({ where: { uid }, data: { metadata: metadata as Prisma.InputJsonObject } });
      await itemsChanged(tx, dataset.uid);
      await audit(tx, {
        action: "item.updated",
        targetType: "item",
        targetId: uid,
        targetName: item.key,
        ...changed,
      });
    }
  });
  return getItem(ctx, path, uid);
}

/**
 * Deletes an item with its file, tasks, results and predictions. Throws `not_found`, `forbidden` for an item that
 * another member added, and `invalid` while a task of it is open or its file is being read.
 */
export async function deleteItem(ctx: Ctx, path: DatasetPath, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const { uid: datasetId } = await getDataset(tx, path);
    const before = await readItem(tx, datasetId, uid);
    requireAuthor(tx, before.added_by_id);
    requireRead(before);
    const { deleted, refused } = await deleteItems(tx, datasetId, [uid]);
    const refusal = refused.get(uid);
    if (refusal) throw invalid([], refusal.error);
    const [item] = deleted;
    if (!item) throw notFound();
    if (item.sequence_id !== null) await closeGap(tx, item.sequence_id);
    await itemsChanged(tx, datasetId);
    await audit(tx, { action: "item.deleted", targetType: "item", targetId: uid, targetName: item.key });
    await publishUpdated(tx, await getDatasetByUid(tx, datasetId));
  });
}
