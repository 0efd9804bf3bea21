import pMap from "p-map";
import type { UsableIntegration } from "@/server/features/models/integration-secrets";
import { findIntegration } from "@/server/features/models/integration-service";
import { predict, summarize, toNodes, type Predicted } from "@/server/features/models/predict";
import { PredictionFailed, type PredictItem } from "@/server/features/models/provider-request";
import { predictItemColumns, predictItemRow } from "@/server/features/models/run-service";
import { publish } from "@/server/features/platform-events/service";
import { databaseNow } from "@/server/platform/clock";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import type { JobRun } from "@/server/platform/jobs/handler";
import { AttemptSuperseded, fence } from "@/server/platform/jobs/queue";
import { announce } from "@/server/platform/realtime/changes";
import { int4 } from "@/server/platform/rows";

/** Items processed before the next are read, and how many of them concurrently. */
const batch = { size: 24, concurrency: 4 } as const;
/** So many failures without a success between them end an attempt: the provider does not answer. */
const maxFailuresInARow = 96;

/** What a model answered for an item, or why it gave no answer that can be read. */
type Outcome = { item: PredictItem } & ({ predicted: Predicted } | { error: string });

async function ask(integration: UsableIntegration, item: PredictItem): Promise<Outcome> {
  try {
    return { item, predicted: await predict(integration, item) };
  } catch (error) {
    if (error instanceof PredictionFailed) return { item, error: error.message };
    throw error;
  }
}

/** Applies a model to every item of a run; a retry continues with the items that have no predictions yet. */
export async function runModel(organizationId: string, uid: string, run: JobRun): Promise<void> {
  const ctx = systemContext(prisma, organizationId, "models");
  const row = await prisma.run.findFirst({ where: { uid, organizationId, status: { in: ["pending", "running"] } } });
  if (!row) return;
  // The items of a rule's run may not be indexed yet; `startWaitingRuns` queues the run again.
  const unread =
    row.recordingId === null
      ? null
      : await prisma.item.findFirst({ where: { uid: { in: row.itemIds }, status: "pending" }, select: { uid: true } });
  if (unread) return;
  const integration = await findIntegration(ctx, row.integrationId);
  const isRead = Prisma.sql`i.dataset_id = ${row.datasetId} and i.organization_id = ${organizationId} and i.status <> 'pending'`;
  const isWhole = row.itemIds.length === 0;
  try {
    if (!integration) throw new PredictionFailed("The model does not exist any more.");
    const [total] = await query(
      ctx,
      { count: int4 },
      Prisma.sql`select count(*)::int as count from items i where ${isRead} and (${isWhole} or i.uid = any(${row.itemIds}))`,
    );
    const started = await prisma.run.updateMany({
      where: isOpen(uid),
      data: { status: "running", totalCount: total?.count ?? 0 },
    });
    if (started.count === 0) return;
    let inARow = 0;
    let failure: string | null = null;
    const named = row.itemIds.toSorted();
    for (let [after, at] = ["", 0]; isWhole || at < named.length; at += batch.size) {
      // Of many items each statement names its own, not all of them.
      const next = named.slice(at, at + batch.size);
      const items = await query(
        ctx,
        predictItemRow,
        Prisma.sql`select ${predictItemColumns} from items i where ${isRead} and i.uid > ${after} and (${isWhole} or i.uid = any(${next}))
          and not exists (select 1 from model_predictions p where p.run_id = ${uid} and p.item_id = i.uid) order by i.uid limit ${batch.size}`,
      );
      if (items.length === 0 && isWhole) break;
      if (items.length === 0) continue;
      const outcomes = await pMap(items, (item) => ask(integration, item), { concurrency: batch.concurrency });
      // It was aborted or deleted meanwhile.
      if (!(await storeOutcomes(ctx, uid, integration.model_name, outcomes))) return;
      run.signal.throwIfAborted();
      const failed = outcomes.flatMap((outcome) => ("error" in outcome ? outcome.error : []));
      failure = failed[0] ?? failure;
      inARow = failed.length === outcomes.length ? inARow + failed.length : 0;
      if (failure !== null && inARow >= maxFailuresInARow) throw new PredictionFailed(failure);
      after = items.at(-1)?.uid ?? after;
    }
    // What failed may succeed at the next attempt; after the last one, people see it and retry it.
    if (failure !== null && !run.lastAttempt) throw new PredictionFailed(failure);
    const { doneCount } = await prisma.run.findFirstOrThrow({
      where: { uid, organizationId },
      select: { doneCount: true },
    });
    if (failure !== null && doneCount === 0) throw new PredictionFailed(failure);
    await endFenced(ctx, uid, null, run);
  } catch (error) {
    if (error instanceof AttemptSuperseded || run.signal.aborted) throw error;
    // The provider's failure may be transient.
    if (!run.lastAttempt) throw error;
    if (!(error instanceof PredictionFailed))
      run.log.error({ err: error, run: uid }, "a model run failed on its last attempt");
    await endFenced(
      ctx,
      uid,
      error instanceof PredictionFailed ? error.message : "The run failed for an unexpected reason.",
      run,
    );
  }
}

const isOpen = (uid: string) => ({ uid, status: { in: ["pending", "running"] } });

/** Stores what became of items of a run, and counts it; false when the run is over. */
async function storeOutcomes(ctx: Ctx, uid: string, modelName: string, outcomes: readonly Outcome[]): Promise<boolean> {
  const done = outcomes.flatMap((outcome) => ("predicted" in outcome ? outcome : []));
  const failed = outcomes.flatMap((outcome) => ("error" in outcome ? outcome : []));
  const doneIds = done.map(({ item }) => item.uid);
  return transaction(ctx, async (tx) => {
    const { count } = await tx.db.run.updateMany({ where: isOpen(uid), data: { updatedAt: databaseNow() } });
    if (count === 0) return false;
    const { count: stored } = await tx.db.prediction.createMany({
      data: done.map(({ item, predicted: { annotations, clipped, exchange } }) => ({
        runId: uid,
        itemId: item.uid,
        datasetId: item.dataset_id,
        nodes: toNodes(annotations, modelName) as Prisma.InputJsonArray,
        clippedCount: clipped,
        ms: exchange.duration_ms,
        ...summarize(annotations),
      })),
      skipDuplicates: true,
    });
    await execute(
      tx,
      Prisma.sql`with mended as (
          delete from model_failures where run_id = ${uid} and item_id = any(${doneIds}) returning 1 as one),
        failed as (
          insert into model_failures (run_id, item_id, error)
          select ${uid}, v.item_id, v.error
          from unnest(${failed.map(({ item }) => item.uid)}::text[], ${failed.map(({ error }) => error)}::text[]) as v(item_id, error)
          on conflict (run_id, item_id) do update set error = excluded.error returning (xmax = 0) as is_new)
        update model_runs r set done_count = r.done_count + ${stored}::int,
          clipped_count = r.clipped_count + ${done.reduce((sum, { predicted }) => sum + predicted.clipped, 0)}::int,
          failed_count = r.failed_count + (select count(*) from failed where is_new)::int - (select count(*) from mended)::int
        where r.uid = ${uid} and r.organization_id = ${tx.organizationId}`,
    );
    await announce(tx, "run", uid, "updated");
    return true;
  });
}

/** Ends a run that is not over, in the transaction of `tx`, and publishes the platform event. */
export async function endRun(tx: Ctx, uid: string, error: string | null): Promise<void> {
  const status = error === null ? "completed" : "failed";
  const { count } = await tx.db.run.updateMany({
    where: isOpen(uid),
    data: { status, errorMessage: error, completedAt: databaseNow() },
  });
  if (count === 0) return;
  await publish(tx, error === null ? "auto_label.completed" : "auto_label.failed", { job_uid: uid, status });
  // Pages of the dataset show what the run predicted.
  await announce(tx, "run", uid, "updated");
  const { datasetId } = await tx.db.run.findUniqueOrThrow({ where: { uid }, select: { datasetId: true } });
  await announce(tx, "dataset", datasetId, "updated");
}

async function endFenced(ctx: Ctx, uid: string, error: string | null, run: JobRun): Promise<void> {
  await transaction(ctx, async (tx) => {
    await fence(tx, run.attempt);
    await endRun(tx, uid, error);
  });
}
