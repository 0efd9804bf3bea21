import { parseFilter } from "@/domain/items/filter";
import { filterSql } from "@/server/features/datasets/filter-queries";
import { setItemStatus } from "@/server/features/datasets/item-status-service";
import { itemsChanged, tasksMissing } from "@/server/features/datasets/items-changed";
import { lockProject } from "@/server/features/projects/service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query, transaction } from "@/server/platform/db";
import { announce } from "@/server/platform/realtime/changes";
import { text } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

/** The maximum of tasks created in one transaction; a job creates the rest. */
const maxTasksPerTransaction = 2_000;
const batchSize = 100;

/**
 * Creates tasks, in work batches of 100, for items of an active project that have none. A job creates the rest of those
 * of a large project.
 */
export async function makeSomeTasks(tx: Ctx, projectId: string): Promise<void> {
  const project = await lockProject(tx, projectId);
  if (project.status !== "active") return;
  const items = await listItemsWithout(tx, projectId);
  if (items.length > 0) {
    await insertTasks(tx, project, items);
    await setItemStatus(tx, Prisma.sql`i.uid = any(${items.map(({ uid }) => uid)})`, "ready_for_annotation", [
      "unattempted",
    ]);
    for (const dataset of project.datasets) await itemsChanged(tx, dataset);
    await announce(tx, "project", project.uid, "updated");
  }
  if (items.length === maxTasksPerTransaction) await tasksMissing(tx, { projectId });
}

/** Items of the datasets of a project, and then of its slices, that have no task in it: so many as are made at once. */
async function listItemsWithout(tx: Ctx, projectId: string): Promise<{ uid: string; key: string }[]> {
  const isWithout = Prisma.sql`i.status <> 'pending'
    and not exists (select 1 from tasks t where t.project_id = ${projectId} and t.item_id = i.uid)`;
  const row = { uid: text, key: text };
  const items = await query(
    tx,
    row,
    Prisma.sql`select i.uid, i.key from items i join project_datasets pd on pd.dataset_id = i.dataset_id
      where pd.project_id = ${projectId} and ${isWithout}
      order by pd.position, i.uid limit ${maxTasksPerTransaction}`,
  );
  const slices = await query(
    tx,
    { dataset_id: text, filter: text },
    Prisma.sql`select s.dataset_id, s.filter from project_slices ps join slices s on s.uid = ps.slice_id
      where ps.project_id = ${projectId} and s.organization_id = ${tx.organizationId} order by ps.position`,
  );
  const known = new Set(items.map(({ uid }) => uid));
  for (const slice of slices) {
    const left = maxTasksPerTransaction - items.length;
    if (left === 0) break;
    const held = await query(
      tx,
      row,
      Prisma.sql`select i.uid, i.key from items i where i.dataset_id = ${slice.dataset_id} and ${isWithout}
        and ${filterSql(parseFilter(slice.filter))} and i.uid <> all(${[...known]}) order by i.uid limit ${left}`,
    );
    for (const item of held) known.add(item.uid);
    items.push(...held);
  }
  return items;
}

async function insertTasks(
  tx: Ctx,
  project: { uid: string; task_type: string },
  items: readonly { uid: string; key: string }[],
): Promise<void> {
  const of = { organizationId: tx.organizationId, projectId: project.uid };
  const last = await tx.db.workBatch.findFirst({ where: { projectId: project.uid }, orderBy: { number: "desc" } });
  let number = last?.number ?? 0;
  let batch = last && last.taskCount < batchSize ? { uid: last.uid, taskCount: last.taskCount } : null;
  for (let at = 0; at < items.length;) {
    if (!batch) {
      batch = { uid: uuidv7(), taskCount: 0 };
      await tx.db.workBatch.create({ data: { ...of, uid: batch.uid, number: ++number } });
    }
    const { uid: batchId, taskCount } = batch;
    const some = items.slice(at, at + batchSize - taskCount);
    await tx.db.task.createMany({
      data: some.map((item) => ({
        ...of,
        uid: uuidv7(),
        itemId: item.uid,
        batchId,
        type: project.task_type,
        name: item.key,
      })),
    });
    await tx.db.workBatch.update({ where: { uid: batchId }, data: { taskCount: { increment: some.length } } });
    at += some.length;
    batch = null;
  }
  await tx.db.project.update({ where: { uid: project.uid }, data: { taskCount: { increment: items.length } } });
}

/** Creates the tasks of one project, or of every active project that annotates a dataset. Runs in a job. */
export async function makeTasks(
  organizationId: string,
  of: { projectId: string } | { datasetId: string },
): Promise<void> {
  const ctx = systemContext(prisma, organizationId);
  const projects =
    "projectId" in of
      ? [{ uid: of.projectId }]
      : await query(
          ctx,
          { uid: text },
          Prisma.sql`select p.uid from annotated_datasets a join projects p on p.uid = a.project_id
            where a.dataset_id = ${of.datasetId} and p.organization_id = ${organizationId} and p.status = 'active' order by p.uid`,
        );
  for (const { uid } of projects) {
    const count = await prisma.project.count({ where: { uid, organizationId } });
    if (count > 0) await transaction(ctx, (tx) => makeSomeTasks(tx, uid));
  }
}
