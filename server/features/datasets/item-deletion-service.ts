import { lockDataset } from "@/server/features/datasets/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { bool, int4, int8, type Native, nullable, text } from "@/server/platform/rows";

const row = {
  uid: text,
  key: text,
  is_pending: bool,
  is_open: bool,
  storage_key: text,
  thumbnail_key: nullable(text),
  size_bytes: int8,
  annotation_count: int4,
  sequence_id: nullable(text),
  added_by_id: nullable(text),
};
type DeletedItem = Native<typeof row>;

/** How many stored objects one job deletes. */
const keysOfJob = 200;

const openTask = "A task of this item is open. Complete it, or cancel its project, first.";
export const unread = "The file of this item is still being read.";

export interface ItemDeletion {
  /** What was deleted. */
  deleted: DeletedItem[];
  /** Why an item stays, by its uid. */
  refused: Map<string, { key: string; error: string }>;
}

/** Locks the projects that have tasks of items, as everything that also locks tasks does. */
const lockProjects = (tx: Ctx, uids: readonly string[]): Promise<number> =>
  execute(
    tx,
    Prisma.sql`select p.uid from projects p where p.uid in (select t.project_id from tasks t where t.item_id = any(${[...uids]}))
      order by p.uid for no key update of p`,
  );

/** Takes the tasks and results of items, which are deleted with them, from the counts of projects and work batches. */
async function discountTasks(tx: Ctx, uids: readonly string[]): Promise<void> {
  await execute(
    tx,
    Prisma.sql`update work_batches b set task_count = b.task_count - g.tasks, started_count = b.started_count - g.started,
        completed_count = b.completed_count - g.completed
      from (select t.batch_id, count(*)::int as tasks, count(*) filter (where t.status <> 'pending')::int as started,
          count(*) filter (where t.status = 'completed')::int as completed
        from tasks t where t.item_id = any(${[...uids]}) group by 1) g where b.uid = g.batch_id`,
  );
  await execute(
    tx,
    Prisma.sql`update projects p set task_count = p.task_count - g.tasks, completed_count = p.completed_count - g.completed,
        accepted_count = p.accepted_count - g.accepted, rejected_count = p.rejected_count - g.rejected,
        superseded_count = p.superseded_count - g.superseded, skipped_count = p.skipped_count - g.skipped
      from (select t.project_id, count(*)::int as tasks, count(*) filter (where t.status = 'completed')::int as completed,
          sum(r.accepted)::int as accepted, sum(r.rejected)::int as rejected,
          sum(r.superseded)::int as superseded, count(*) filter (where t.skip_reason is not null)::int as skipped
        from tasks t cross join lateral (select count(*) filter (where r.status = 'accepted') as accepted,
          count(*) filter (where r.status = 'rejected' and r.superseded_by is null) as rejected,
          count(*) filter (where r.superseded_by is not null) as superseded from results r where r.task_id = t.uid) r
        where t.item_id = any(${[...uids]}) group by 1) g
      where p.uid = g.project_id`,
  );
}

/**
 * Deletes items of a dataset with their files, tasks, results and predictions, but for those with an open task, whose
 * file is being read, or that `mayDelete` refuses with a text. Sequences and their frames are the caller's.
 */
export async function deleteItems(
  tx: Ctx,
  datasetId: string,
  uids: readonly string[],
  mayDelete: (item: DeletedItem) => string | null = () => null,
): Promise<ItemDeletion> {
  await lockProjects(tx, uids);
  await lockDataset(tx, datasetId);
  const rows = await query(
    tx,
    row,
    Prisma.sql`select i.uid, i.key, i.status = 'pending' as is_pending, i.storage_key, i.thumbnail_key, i.size_bytes,
        i.annotation_count, i.sequence_id, i.added_by_id,
        exists (select 1 from tasks t join projects p on p.uid = t.project_id
          where t.item_id = i.uid and t.status <> 'completed' and p.status in ('active', 'paused')) as is_open
      from items i where i.dataset_id = ${datasetId} and i.uid = any(${[...uids]}) order by i.uid for update of i`,
  );
  const refused = new Map<string, { key: string; error: string }>();
  const deleted = rows.filter((item) => {
    const error = item.is_pending ? unread : item.is_open ? openTask : mayDelete(item);
    if (error !== null) refused.set(item.uid, { key: item.key, error });
    return error === null;
  });
  if (deleted.length === 0) return { deleted, refused };
  const gone = deleted.map(({ uid }) => uid);
  await discountTasks(tx, gone);
  await execute(
    tx,
    Prisma.sql`delete from model_predictions p using model_runs r
      where r.dataset_id = ${datasetId} and p.run_id = r.uid and p.item_id = any(${gone})`,
  );
  await execute(
    tx,
    Prisma.sql`delete from model_failures p using model_runs r
      where r.dataset_id = ${datasetId} and p.run_id = r.uid and p.item_id = any(${gone})`,
  );
  await tx.db.item.deleteMany({ where: { uid: { in: gone } } });
  await tx.db.dataset.update({
    where: { uid: datasetId },
    data: {
      itemCount: { decrement: deleted.length },
      sizeBytes: { decrement: deleted.reduce((sum, item) => sum + item.size_bytes, 0n) },
      annotationCount: { decrement: deleted.reduce((sum, item) => sum + item.annotation_count, 0) },
    },
  });
  await tx.db.storedFile.deleteMany({ where: { storageKey: { in: deleted.map((item) => item.storage_key) } } });
  const keys = deleted.flatMap((item) => [
    item.storage_key,
    ...(item.thumbnail_key === null ? [] : [item.thumbnail_key]),
  ]);
  for (let at = 0; at < keys.length; at += keysOfJob)
    await enqueue(tx, jobs.deleteStoredKeys, { keys: keys.slice(at, at + keysOfJob) });
  return { deleted, refused };
}
