import { bulkEditKinds } from "@/domain/bulk-edits/schema";
import { addCopies, copyFiles, hasTarget, removeRefused } from "@/server/features/bulk-edits/copy-service";
import { changeMetadata } from "@/server/features/bulk-edits/metadata-service";
import type { RunningEdit, StepOutcome, WaitingItem } from "@/server/features/bulk-edits/step";
import { deleteItems } from "@/server/features/datasets/item-deletion-service";
import { itemsChanged, tasksMissing } from "@/server/features/datasets/items-changed";
import { arrangeFrames } from "@/server/features/datasets/sequencing-service";
import { getDatasetByUid, publishUpdated } from "@/server/features/datasets/service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import type { JobRun } from "@/server/platform/jobs/handler";
import { AttemptSuperseded, fence } from "@/server/platform/jobs/queue";
import { announceSoon } from "@/server/platform/realtime/changes";
import { bool, jsonbObject, nullable, oneOf, text } from "@/server/platform/rows";

/** Items of one step, which is one transaction. */
const stepSizes = { metadata: 1_000, undo: 1_000, delete: 500, copy: 50 } as const;

const gone = "It was deleted before.";

const runningRow = {
  uid: text,
  dataset_id: text,
  kind: oneOf(bulkEditKinds),
  metadata: nullable(jsonbObject),
  target_id: nullable(text),
  created_by_id: nullable(text),
  of_anybody: bool,
};

/** Makes a bulk edit until no item waits. Another attempt goes on with the items that still do. */
export async function runBulkEdit(organizationId: string, uid: string, run: JobRun): Promise<void> {
  const ctx = systemContext(prisma, organizationId, "bulk edits");
  try {
    for (let after = ""; ;) {
      const edit = await readRunning(ctx, uid);
      if (!edit) return;
      if (edit.kind === "copy" && !(await hasTarget(ctx, edit)))
        return await finish(ctx, edit, run, "The dataset that items were copied to was deleted.");
      const waiting = await nextWaiting(ctx, edit, after);
      if (waiting.length === 0) return await finish(ctx, edit, run, null);
      await step(ctx, edit, waiting, run);
      announceSoon(ctx, "bulk_edit", uid, "updated");
      after = waiting.at(-1)?.uid ?? "";
      run.signal.throwIfAborted();
    }
  } catch (error) {
    if (error instanceof AttemptSuperseded || run.signal.aborted || !run.lastAttempt) throw error;
    run.log.error({ err: error, edit: uid }, "a bulk edit failed in its last attempt");
    const edit = await readRunning(ctx, uid);
    if (edit) await finish(ctx, edit, run, "It failed for an unexpected reason. What was changed before stays.");
  }
}

async function readRunning(ctx: Ctx, uid: string): Promise<RunningEdit | null> {
  const [found] = await query(
    ctx,
    runningRow,
    Prisma.sql`select b.uid, b.dataset_id, b.kind, b.metadata, b.target_id, b.created_by_id, b.of_anybody from bulk_edits b
      where b.uid = ${uid} and b.organization_id = ${ctx.organizationId} and b.status = 'running'`,
  );
  if (!found) return null;
  const {
    dataset_id: datasetId,
    target_id: targetId,
    created_by_id: createdById,
    of_anybody: ofAnybody,
    ...rest
  } = found;
  return { ...rest, datasetId, targetId, createdById, ofAnybody };
}

/** After the last one of this attempt, so that no step passes the rows of those before it again. */
const nextWaiting = (ctx: Ctx, { uid, kind }: RunningEdit, after: string): Promise<WaitingItem[]> =>
  query(
    ctx,
    { uid: text, before: nullable(jsonbObject) },
    Prisma.sql`select e.item_id as uid, e.before from bulk_edit_items e
      where e.edit_id = ${uid} and e.state = 'waiting' and e.item_id > ${after} order by e.item_id limit ${stepSizes[kind]}`,
  );

async function step(ctx: Ctx, edit: RunningEdit, waiting: readonly WaitingItem[], run: JobRun): Promise<void> {
  const files = edit.kind === "copy" ? await copyFiles(ctx, edit, waiting) : [];
  const outcomes = await transaction(ctx, async (tx) => {
    await fence(tx, run.attempt);
    // It may be stopped at any time; what a step began is then not written.
    const locked = await execute(
      tx,
      Prisma.sql`select 1 from bulk_edits b where b.uid = ${edit.uid} and b.status = 'running' for no key update of b`,
    );
    if (locked === 0) return [];
    const changed =
      edit.kind === "delete"
        ? await deleteStep(tx, edit, waiting)
        : edit.kind === "copy"
          ? await addCopies(tx, edit, files)
          : await changeMetadata(tx, edit, waiting);
    await record(tx, edit, waiting, changed);
    await itemsChanged(tx, edit.kind === "copy" ? (edit.targetId ?? "") : edit.datasetId);
    return changed;
  });
  await removeRefused(
    files,
    outcomes.length === 0 ? files.map((file) => ({ ...file, before: null, error: gone })) : outcomes,
  );
}

async function deleteStep(tx: Ctx, edit: RunningEdit, waiting: readonly WaitingItem[]): Promise<StepOutcome[]> {
  const { deleted, refused } = await deleteItems(
    tx,
    edit.datasetId,
    waiting.map(({ uid }) => uid),
    ({ added_by_id: addedBy }) =>
      edit.ofAnybody || (addedBy !== null && addedBy === edit.createdById)
        ? null
        : "Only its author and admins can do this.",
  );
  // Their sequences are numbered again at the end, once.
  await execute(
    tx,
    Prisma.sql`update items set frame = null where uid in (select distinct on (i.sequence_id) i.uid from items i
      where i.sequence_id = any(${deleted.flatMap(({ sequence_id: id }) => (id === null ? [] : [id]))}))`,
  );
  return [
    ...deleted.map(({ uid, key }) => ({ uid, key, error: null, before: null })),
    ...[...refused].map(([uid, { key, error }]) => ({ uid, key, error, before: null })),
  ];
}

/** Records what became of the items of a step; one of which there is no outcome was deleted before. */
async function record(
  tx: Ctx,
  { uid }: RunningEdit,
  waiting: readonly WaitingItem[],
  outcomes: readonly StepOutcome[],
): Promise<void> {
  const known = new Set(outcomes.map((outcome) => outcome.uid));
  const all = [
    ...outcomes,
    ...waiting
      .filter((item) => !known.has(item.uid))
      .map((item): StepOutcome => ({ uid: item.uid, key: "", error: gone, before: null })),
  ];
  const failed = all.filter(({ error }) => error !== null).length;
  await execute(
    tx,
    // By the uids as well: the rows were inserted a moment ago, and without statistics the planner reads all that wait.
    Prisma.sql`update bulk_edit_items e set state = case when v.error is null then 'done' else 'failed' end,
        key = case when v.error is null then '' else v.key end, error = v.error, before = v.before::jsonb
      from unnest(${all.map((each) => each.uid)}::text[], ${all.map((each) => each.key)}::text[], ${all.map((each) => each.error)}::text[],
        ${all.map((each) => (each.before === null ? null : JSON.stringify(each.before)))}::text[]) as v(uid, key, error, before)
      where e.edit_id = ${uid} and e.item_id = any(${all.map((each) => each.uid)}) and e.item_id = v.uid and e.state = 'waiting'`,
  );
  await tx.db.bulkEdit.update({
    where: { uid },
    data: { doneCount: { increment: all.length - failed }, failedCount: { increment: failed } },
  });
}

async function finish(ctx: Ctx, edit: RunningEdit, run: JobRun, error: string | null): Promise<void> {
  const changed = edit.kind === "copy" && edit.targetId !== null ? edit.targetId : edit.datasetId;
  if (error === null) await arrangeFrames(ctx, changed);
  await transaction(ctx, async (tx) => {
    await fence(tx, run.attempt);
    const count = await execute(
      tx,
      Prisma.sql`update bulk_edits set status = ${error === null ? "done" : "failed"}, error_message = ${error},
          completed_at = now(), updated_at = now() where uid = ${edit.uid} and status = 'running'`,
    );
    if (count === 0 || error !== null) return;
    if (edit.kind === "delete")
      await execute(
        tx,
        Prisma.sql`delete from sequences s where s.dataset_id = ${changed}
          and not exists (select 1 from items i where i.sequence_id = s.uid)`,
      );
    await itemsChanged(tx, changed);
    if (edit.kind === "copy") await tasksMissing(tx, { datasetId: changed });
    if (edit.kind === "copy" || edit.kind === "delete") await publishUpdated(tx, await getDatasetByUid(tx, changed));
  });
  announceSoon(ctx, "bulk_edit", edit.uid, "updated");
}
