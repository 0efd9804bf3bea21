import { undoHours } from "@/domain/moments/schema";
import { auditSeveral } from "@/server/features/audit/service";
import { itemsChanged } from "@/server/features/datasets/items-changed";
import { closeGap } from "@/server/features/datasets/sequencing-service";
import { getDatasetByUid, getPrefix, lockDataset, publishUpdated } from "@/server/features/datasets/service";
import { enqueueExamination } from "@/server/features/datasets/upload-service";
import { findMoment } from "@/server/features/moments/list-queries";
import type { MomentResource } from "@/server/features/moments/resource";
import { databaseMs, databaseNow } from "@/server/platform/clock";
import { requireAuthor, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, transaction } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { announce, announceSeveral } from "@/server/platform/realtime/changes";
import { int4, int8, notNull, nullable, text, type Native } from "@/server/platform/rows";
import { uidFloor } from "@/server/platform/uid";

const hourMs = 3_600_000;
/** By then whoever stores a file of it at this moment is done. */
const removeAfterMs = 60_000;

const itemRow = {
  uid: text,
  storage_key: text,
  size_bytes: int8,
  annotation_count: int4,
  sequence_id: nullable(text),
};
type Item = Native<typeof itemRow>;

/** Throws `invalid` where somebody worked on one of the items. */
async function requireUntouched(tx: Ctx, items: readonly Item[], uids: readonly string[]): Promise<void> {
  const started = await query(
    tx,
    { uid: text },
    Prisma.sql`select t.uid from tasks t where t.item_id = any(${[...uids]}) and t.status <> 'pending' limit 1`,
  );
  if (started.length > 0 || items.some(({ annotation_count: count }) => count > 0))
    throw invalid([], "Some of these items are labelled already. Delete the others one by one.");
}

/** Takes the untouched tasks of items, which are deleted with them, from the counts of projects and work batches. */
async function discountTasks(tx: Ctx, uids: readonly string[]): Promise<void> {
  const ofItems = Prisma.sql`tasks t where t.item_id = any(${[...uids]})`;
  await execute(
    tx,
    Prisma.sql`update work_batches b set task_count = b.task_count - g.tasks
      from (select t.batch_id, count(*)::int as tasks from ${ofItems} group by 1) g where b.uid = g.batch_id`,
  );
  await execute(
    tx,
    Prisma.sql`update projects p set task_count = p.task_count - g.tasks
      from (select t.project_id, count(*)::int as tasks from ${ofItems} group by 1) g where p.uid = g.project_id`,
  );
}

/**
 * Takes an addition back: its items, files and untouched tasks are deleted, and what is not extracted yet is not. Repeated
 * calls do nothing more. Throws `not_found`, `forbidden` for another member's, and `invalid` a day later or once an item of
 * it is labelled.
 */
export async function undoMoment(ctx: Ctx, uid: string): Promise<MomentResource> {
  return transaction(ctx, async (tx) => {
    const moment = await findMoment(tx, uid);
    const row = await tx.db.moment.findUniqueOrThrow({
      where: { uid },
      select: { createdById: true, createdAt: true },
    });
    requireAuthor(tx, row.createdById);
    if (moment.status === "undone") return moment;
    if (databaseMs() - row.createdAt.getTime() > undoHours * hourMs)
      throw invalid([], `What was added more than ${undoHours} hours ago cannot be undone.`);
    const { dataset_uid: datasetId } = moment;
    // Projects before their dataset, as everything that locks both does.
    await execute(
      tx,
      Prisma.sql`select p.uid from projects p where p.uid in (select d.project_id from annotated_datasets d where d.dataset_id = ${datasetId})
        order by p.uid for no key update of p`,
    );
    const dataset = await lockDataset(tx, datasetId);
    const items = await query(
      tx,
      itemRow,
      Prisma.sql`select i.uid, i.storage_key, i.size_bytes, i.annotation_count, i.sequence_id from items i
        where i.dataset_id = ${datasetId} and i.organization_id = ${tx.organizationId} and i.moment_id = ${uid}
          and i.uid >= ${uidFloor(null, row.createdAt.getTime() - hourMs)} for update of i`,
    );
    const uids = items.map((item) => item.uid);
    await requireUntouched(tx, items, uids);
    await removeItems(tx, datasetId, items, uids);
    // The files of an addition are in a folder of their own, also those that a killed worker stored and made no items of.
    const folders = new Set(items.map(({ storage_key: key }) => key.slice(0, key.lastIndexOf("/") + 1)));
    folders.add(`${await getPrefix(tx, dataset, dataset.storage_config_uid)}${uid}/`);
    for (const prefix of folders)
      await enqueue(tx, jobs.deleteStoredObjects, { prefix }, { runAt: new Date(databaseMs() + removeAfterMs) });
    await tx.db.moment.update({ where: { uid }, data: { status: "undone", finishedAt: databaseNow() } });
    const alerts = await listAlerts(tx, uid);
    const after = { dataset_id: datasetId, dataset: dataset.name, moment_id: uid, items: items.length };
    await auditSeveral(tx, [
      [
        tx,
        {
          action: "dataset.moments_removed",
          targetType: "dataset",
          targetId: datasetId,
          targetName: dataset.name,
          after: { moment_id: uid, items: items.length },
        },
      ],
      ...alerts.map(
        (alert) => [tx, { action: "alert.removed_from_dataset", targetType: "alert", targetId: alert, after }] as const,
      ),
    ]);
    await publishUpdated(tx, await getDatasetByUid(tx, datasetId));
    await announce(tx, "dataset", datasetId, "updated");
    if (alerts.length > 0) await announceSeveral(tx, "alert", alerts, "updated");
    return findMoment(tx, uid);
  });
}

const listAlerts = async (tx: Ctx, momentId: string): Promise<string[]> =>
  (
    await query(
      tx,
      { alert_id: notNull(text) },
      Prisma.sql`select distinct s.alert_id from moment_spans s where s.moment_id = ${momentId} and s.alert_id is not null
        order by 1`,
    )
  ).map(({ alert_id }) => alert_id);

async function removeItems(tx: Ctx, datasetId: string, items: readonly Item[], uids: readonly string[]): Promise<void> {
  if (items.length === 0) return;
  await discountTasks(tx, uids);
  await execute(
    tx,
    Prisma.sql`delete from model_predictions p using model_runs r
      where r.dataset_id = ${datasetId} and p.run_id = r.uid and p.item_id = any(${[...uids]})`,
  );
  await execute(
    tx,
    Prisma.sql`delete from model_failures p using model_runs r
      where r.dataset_id = ${datasetId} and p.run_id = r.uid and p.item_id = any(${[...uids]})`,
  );
  await tx.db.item.deleteMany({ where: { uid: { in: [...uids] } } });
  await tx.db.dataset.update({
    where: { uid: datasetId },
    data: {
      itemCount: { decrement: items.length },
      sizeBytes: { decrement: items.reduce((sum, item) => sum + item.size_bytes, 0n) },
    },
  });
  for (const sequence of new Set(items.flatMap((item) => item.sequence_id ?? []))) await closeGap(tx, sequence);
  await itemsChanged(tx, datasetId);
  await enqueueExamination(tx, datasetId);
}
