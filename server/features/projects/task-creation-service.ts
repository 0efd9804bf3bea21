import { setItemStatus } from "@/server/features/datasets/item-status-service";
import { itemsChanged } from "@/server/features/datasets/items-changed";
import { lockProject } from "@/server/features/projects/service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query, transaction } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
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
  const items = await query(
    tx,
    { uid: text, key: text },
    Prisma.sql`select i.uid, i.key from items i join project_datasets pd on pd.dataset_id = i.dataset_id
      where pd.project_id = ${projectId} and i.status <> 'pending'
        and not exists (select 1 from tasks t where t.project_id = ${projectId} and t.item_id = i.uid)
      order by pd.position, i.uid limit ${maxTasksPerTransaction}`,
  );
  if (items.length > 0) {
    await insertTasks(tx, project, items);
    await setItemStatus(tx, Prisma.sql`i.uid = any(${items.map(({ uid }) => uid)})`, "ready_for_annotation", [
      "unattempted",
    ]);
    for (const dataset of project.datasets) await itemsChanged(tx, dataset);
  }
  if (items.length === maxTasksPerTransaction)
    await enqueue(tx, jobs.makeTasks, { organizationId: tx.organizationId, projectId });
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
      : await prisma.project.findMany({
          where: { organizationId, status: "active", datasets: { some: { datasetId: of.datasetId } } },
          select: { uid: true },
        });
  for (const { uid } of projects) {
    const count = await prisma.project.count({ where: { uid, organizationId } });
    if (count > 0) await transaction(ctx, (tx) => makeSomeTasks(tx, uid));
  }
}
