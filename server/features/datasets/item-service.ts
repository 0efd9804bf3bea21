import type { DatasetPath, UpdateItem } from "@/domain/datasets/schema";
import { audit, difference } from "@/server/features/audit/service";
import { getItem } from "@/server/features/datasets/item-queries";
import { itemsChanged } from "@/server/features/datasets/items-changed";
import type { ItemResource } from "@/server/features/datasets/resource";
import { closeGap } from "@/server/features/datasets/sequencing-service";
import { getDataset, getDatasetByUid, lockDataset, publishUpdated } from "@/server/features/datasets/service";
import { mergeMetadata } from "@/server/features/devices/service";
import { requireAuthor, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { bool, int4, int8, jsonbObject, type Native, nullable, text } from "@/server/platform/rows";

const itemRow = {
  uid: text,
  key: text,
  metadata: jsonbObject,
  is_pending: bool,
  storage_key: text,
  thumbnail_key: nullable(text),
  size_bytes: int8,
  annotation_count: int4,
  sequence_id: nullable(text),
  added_by_id: nullable(text),
};
type StoredItem = Native<typeof itemRow>;

async function readItem(tx: Ctx, datasetId: string, uid: string, lock = Prisma.empty): Promise<StoredItem> {
  const [row] = await query(
    tx,
    itemRow,
    Prisma.sql`select i.uid, i.key, i.metadata, i.status = 'pending' as is_pending, i.storage_key, i.thumbnail_key, i.size_bytes,
        i.annotation_count, i.sequence_id, i.added_by_id
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

/** Locks the projects that have tasks of an item, as everything that also locks tasks does. */
const lockProjects = (tx: Ctx, itemId: string): Promise<number> =>
  execute(
    tx,
    Prisma.sql`select p.uid from projects p where p.uid in (select t.project_id from tasks t where t.item_id = ${itemId})
      order by p.uid for no key update of p`,
  );

/** Throws `invalid` while somebody may still work on a task of the item. */
async function requireNoOpenTask(tx: Ctx, itemId: string): Promise<void> {
  const [open] = await query(
    tx,
    { uid: text },
    Prisma.sql`select t.uid from tasks t join projects p on p.uid = t.project_id
      where t.item_id = ${itemId} and t.status <> 'completed' and p.status in ('active', 'paused') limit 1`,
  );
  if (open) throw invalid([], "A task of this item is open. Complete it, or cancel its project, first.");
}

/** Takes the tasks and results of an item, which are deleted with it, from the counts of projects and work batches. */
async function discountTasks(tx: Ctx, itemId: string): Promise<void> {
  await execute(
    tx,
    Prisma.sql`update work_batches b set task_count = b.task_count - g.tasks, started_count = b.started_count - g.started,
        completed_count = b.completed_count - g.completed
      from (select t.batch_id, count(*)::int as tasks, count(*) filter (where t.status <> 'pending')::int as started,
          count(*) filter (where t.status = 'completed')::int as completed
        from tasks t where t.item_id = ${itemId} group by 1) g where b.uid = g.batch_id`,
  );
  await execute(
    tx,
    Prisma.sql`update projects p set task_count = p.task_count - 1, completed_count = p.completed_count - g.completed,
        accepted_count = p.accepted_count - g.accepted, rejected_count = p.rejected_count - g.rejected
      from (select t.project_id, (t.status = 'completed')::int as completed,
          count(*) filter (where r.status = 'accepted')::int as accepted,
          count(*) filter (where r.status = 'rejected')::int as rejected
        from tasks t left join results r on r.task_id = t.uid where t.item_id = ${itemId} group by t.uid) g
      where p.uid = g.project_id`,
  );
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
    await lockProjects(tx, uid);
    await lockDataset(tx, datasetId);
    const item = await readItem(tx, datasetId, uid, Prisma.sql`for update of i`);
    await requireNoOpenTask(tx, uid);
    await discountTasks(tx, uid);
    await execute(
      tx,
      Prisma.sql`delete from model_predictions p using model_runs r
        where r.dataset_id = ${datasetId} and p.run_id = r.uid and p.item_id = ${uid}`,
    );
    await tx.db.item.delete({ where: { uid } });
    await tx.db.dataset.update({
      where: { uid: datasetId },
      data: {
        itemCount: { decrement: 1 },
        sizeBytes: { decrement: item.size_bytes },
        annotationCount: { decrement: item.annotation_count },
      },
    });
    if (item.sequence_id !== null) await closeGap(tx, item.sequence_id);
    await tx.db.storedFile.deleteMany({ where: { storageKey: item.storage_key } });
    for (const key of [item.storage_key, item.thumbnail_key])
      if (key !== null) await enqueue(tx, jobs.deleteStoredObjects, { prefix: key });
    await itemsChanged(tx, datasetId);
    await audit(tx, { action: "item.deleted", targetType: "item", targetId: uid, targetName: item.key });
    await publishUpdated(tx, await getDatasetByUid(tx, datasetId));
  });
}
