import { getPictureSize, type PictureSize } from "@/domain/annotations/picture-bounds";
import { taskTypes } from "@/domain/projects/schema";
import { type Annotation, taskStatuses } from "@/domain/tasks/schema";
import { findTransition } from "@/domain/tasks/transitions";
import { auditSeveral } from "@/server/features/audit/service";
import { setItemStatus } from "@/server/features/datasets/item-status-service";
import { itemsChanged } from "@/server/features/datasets/items-changed";
import { publishSeveral } from "@/server/features/platform-events/service";
import { completeIfDone } from "@/server/features/projects/lifecycle-service";
import type { ProjectResource } from "@/server/features/projects/resource";
import { closeSample } from "@/server/features/tasks/decision-service";
import { toDecided, toResultRow } from "@/server/features/tasks/result-service";
import { databaseNow } from "@/server/platform/clock";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query } from "@/server/platform/db";
import { announce } from "@/server/platform/realtime/changes";
import { bool, int4, jsonbObject, type Native, oneOf, text } from "@/server/platform/rows";

const importTaskRow = {
  uid: text,
  name: text,
  type: oneOf(taskTypes),
  status: oneOf(taskStatuses),
  is_held: bool,
  is_skipped: bool,
  shapes: int4,
  batch: text,
  item: text,
  dataset: text,
  media_type: text,
  metadata: jsonbObject,
};

/** A task as an import finds it. */
export interface ImportTask extends Omit<Native<typeof importTaskRow>, "media_type" | "metadata"> {
  size: PictureSize | null;
}

/** Tasks of a project as an import finds them, by uid; locked in their order if asked. */
export async function readImportTasks(
  ctx: Ctx,
  project: string,
  uids: readonly string[],
  { locked = false } = {},
): Promise<Map<string, ImportTask>> {
  const rows = await query(
    ctx,
    importTaskRow,
    Prisma.sql`select t.uid, t.name, t.type, t.status, t.lease_user is not null as is_held, t.skip_reason is not null as is_skipped,
        coalesce((select d.shape_count from task_drafts d where d.task_id = t.uid), 0) as shapes,
        t.batch_id as batch, i.uid as item, i.dataset_id as dataset, i.media_type, i.metadata
      from tasks t join items i on i.uid = t.item_id
      where t.uid = any(${uids}) and t.project_id = ${project} and t.organization_id = ${ctx.organizationId}
      order by t.uid ${locked ? Prisma.sql`for no key update of t` : Prisma.empty}`,
  );
  return new Map(
    rows.map(({ media_type: mediaType, metadata, ...task }) => [
      task.uid,
      { ...task, size: getPictureSize(mediaType, metadata) },
    ]),
  );
}

/** Why the annotations of a file are not put into a task; null where nobody has begun it. */
export function refuseBegun({ status, is_held: isHeld, is_skipped: isSkipped, shapes }: ImportTask): string | null {
  if (isSkipped) return "Its task was skipped.";
  if (status === "completed") return "Its task is completed already.";
  if (status === "in_progress" || isHeld) return "Somebody works on its task.";
  return shapes > 0 ? "Something is drawn on its task." : null;
}

/** How many of the tasks nobody has begun, and nothing is drawn on them. */
export async function countUntouched(ctx: Ctx, project: string, uids: readonly string[]): Promise<number> {
  if (uids.length === 0) return 0;
  const [row] = await query(
    ctx,
    { count: int4 },
    Prisma.sql`select count(*)::int as count from tasks t
      where t.uid = any(${uids}) and t.project_id = ${project} and t.organization_id = ${ctx.organizationId}
        and t.status = 'pending' and t.lease_user is null
        and not exists (select 1 from task_drafts d where d.task_id = t.uid and d.shape_count > 0)`,
  );
  return row?.count ?? 0;
}

/** The tasks that have results with these keys. */
export async function findSubmitted(tx: Ctx, keys: readonly { task: string; key: string }[]): Promise<Set<string>> {
  const rows = await tx.db.result.findMany({
    where: {
      organizationId: tx.organizationId,
      taskId: { in: keys.map(({ task }) => task) },
      submitKey: { in: keys.map(({ key }) => key) },
    },
    select: { taskId: true },
  });
  return new Set(rows.map(({ taskId }) => taskId));
}

/** The tasks in whose drafts one of these shapes is. */
export async function findDrawn(tx: Ctx, tasks: readonly string[], shapes: readonly string[]): Promise<Set<string>> {
  const rows = await query(
    tx,
    { uid: text },
    Prisma.sql`select distinct s.task_id as uid from draft_shapes s join task_drafts d on d.task_id = s.task_id
      where d.organization_id = ${tx.organizationId} and s.task_id = any(${tasks}) and s.id = any(${shapes})`,
  );
  return new Set(rows.map(({ uid }) => uid));
}

export interface ImportedResult {
  task: ImportTask;
  annotations: readonly Annotation[];
  /** The same for the same file and task, so that it is submitted once. */
  key: string;
}

const toEventData = ({ uid, task }: { uid: string; task: ImportTask }, project: string) => ({
  result_uid: uid,
  task_uid: task.uid,
  task_name: task.name,
  task_type: task.type,
  project_uid: project,
});

type Row = ReturnType<typeof toResultRow> & { task: ImportTask };

/**
 * Submits results of tasks that nobody has begun, all in few statements, and accepts them: if asked, by the caller, and in a
 * project without reviewers as Muster itself. Their project and tasks are locked, and the project is active or paused.
 */
export async function submitImported(
  tx: Ctx,
  project: ProjectResource,
  results: readonly ImportedResult[],
  isAccepted: boolean,
): Promise<void> {
  if (results.length === 0) return;
  const acceptor = isAccepted
    ? tx
    : project.review === "none"
      ? systemContext(tx.db, tx.organizationId, "Muster")
      : null;
  const rows: Row[] = results.map(({ task, annotations, key }) => ({
    ...toResultRow(tx, { task: { uid: task.uid, dataset_item: task.item }, project, picture: task }, annotations, {
      submitKey: key,
      ...(acceptor && { status: "accepted", ...toDecided(acceptor) }),
    }),
    task,
  }));
  await tx.db.result.createMany({ data: rows.map(({ task: _, ...row }) => row) });
  await completeTasks(tx, project, rows, acceptor !== null);
  await countAnnotations(tx, rows);
  await record(tx, project, rows, acceptor);
  await completeIfDone(tx, project.uid);
  await countBatches(tx, rows);
  if (project.review !== "share") return;
  for (const batch of listBatches(rows)) await closeSample(tx, { task: { work_batch: batch }, project });
}

const listBatches = (rows: readonly Row[]): string[] => [...new Set(rows.map(({ task }) => task.batch))].toSorted();

async function completeTasks(
  tx: Ctx,
  project: ProjectResource,
  rows: readonly Row[],
  isAccepted: boolean,
): Promise<void> {
  const tasks = rows.map(({ taskId }) => taskId);
  await execute(
    tx,
    Prisma.sql`update tasks set status = 'completed', updated_at = now()
      where uid = any(${tasks}) and organization_id = ${tx.organizationId}`,
  );
  await execute(
    tx,
    Prisma.sql`update task_drafts set ended_at = ${databaseNow()}::timestamptz
      where task_id = any(${tasks}) and organization_id = ${tx.organizationId} and ended_at is null`,
  );
  const count = { increment: rows.length };
  await tx.db.project.update({
    where: { uid: project.uid },
    data: { completedCount: count, ...(isAccepted && { acceptedCount: count }) },
  });
  const items = Prisma.sql`i.uid = any(${rows.map(({ itemId }) => itemId)})`;
  const steps = [findTransition("submit", "todo"), ...(isAccepted ? [findTransition("accept", "submitted")] : [])];
  for (const step of steps) if (step?.item) await setItemStatus(tx, items, step.item.to, step.item.from);
  await announce(tx, "task", project.uid, "updated");
}

/** Adds to the annotation counts of the items and of their datasets. */
async function countAnnotations(tx: Ctx, rows: readonly Row[]): Promise<void> {
  await execute(
    tx,
    Prisma.sql`with added as (
        select * from unnest(${rows.map(({ itemId }) => itemId)}::text[], ${rows.map(({ annotationCount }) => annotationCount)}::int[]) a(item, count)),
      changed as (
        update items i set annotation_count = i.annotation_count + a.count from added a
        where i.uid = a.item and i.organization_id = ${tx.organizationId} returning i.dataset_id, a.count)
      update datasets d set annotation_count = d.annotation_count + c.count
      from (select dataset_id, sum(count)::int as count from changed group by 1) c where d.uid = c.dataset_id`,
  );
}

async function record(tx: Ctx, project: ProjectResource, rows: readonly Row[], acceptor: Ctx | null): Promise<void> {
  const entry = ({ uid, task }: Row, action: string) => ({
    action,
    targetType: "result",
    targetId: uid,
    targetName: task.name,
  });
  await auditSeveral(
    tx,
    rows.flatMap((row) => [
      [tx, entry(row, "result.submitted")] as const,
      ...(acceptor ? [[acceptor, entry(row, "result.accepted")] as const] : []),
    ]),
  );
  const events = rows.map((row) => toEventData(row, project.uid));
  await publishSeveral(tx, "result.submitted", events);
  await publishSeveral(
    tx,
    "task.completed",
    events.map(({ result_uid: _, ...event }) => ({ ...event, task_status: "completed" as const })),
  );
  if (acceptor) await publishSeveral(tx, "result.accepted", events);
}

/** Last, because all who are given tasks of one dataset and batch wait here for each other until they commit. */
async function countBatches(tx: Ctx, rows: readonly Row[]): Promise<void> {
  for (const dataset of new Set(rows.map(({ datasetId }) => datasetId))) await itemsChanged(tx, dataset);
  for (const uid of listBatches(rows)) {
    const count = { increment: rows.filter(({ task }) => task.batch === uid).length };
    await tx.db.workBatch.update({ where: { uid }, data: { startedCount: count, completedCount: count } });
  }
}
