import pMap from "p-map";
import { predict, type Predicted, PredictionFailed, type PredictItem } from "@/server/features/models/predict";
import { predictItemColumns, predictItemRow } from "@/server/features/models/run-service";
import { findIntegration } from "@/server/features/models/service";
import { publish } from "@/server/features/platform-events/service";
import { databaseNow } from "@/server/platform/clock";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query, transaction } from "@/server/platform/db";
import type { JobRun } from "@/server/platform/jobs/handler";
import { AttemptSuperseded, fence } from "@/server/platform/jobs/queue";
import { announce } from "@/server/platform/realtime/changes";
import { int4 } from "@/server/platform/rows";

/** Items processed before the next are read, and how many of them concurrently. */
const batch = { size: 100, concurrency: 4 } as const;

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
  const wanted = Prisma.sql`i.dataset_id = ${row.datasetId} and i.organization_id = ${organizationId} and i.status <> 'pending'
    and (${row.itemIds.length === 0} or i.uid = any(${row.itemIds}))`;
  try {
    if (!integration) throw new PredictionFailed("The model does not exist any more.");
    const [total] = await query(
      ctx,
      { count: int4 },
      Prisma.sql`select count(*)::int as count from items i where ${wanted}`,
    );
    const started = await prisma.run.updateMany({
      where: isOpen(uid),
      data: { status: "running", totalCount: total?.count ?? 0 },
    });
    if (started.count === 0) return;
    for (let after = ""; ;) {
      const items = await query(
        ctx,
        predictItemRow,
        Prisma.sql`select ${predictItemColumns} from items i where ${wanted} and i.uid > ${after}
          and not exists (select 1 from model_predictions p where p.run_id = ${uid} and p.item_id = i.uid) order by i.uid limit ${batch.size}`,
      );
      if (items.length === 0) break;
      const responses = await pMap(items, (item) => predict(integration, item), { concurrency: batch.concurrency });
      // It was aborted or deleted meanwhile.
      if (!(await storePredictions(ctx, uid, items, responses))) return;
      run.signal.throwIfAborted();
      after = items.at(-1)?.uid ?? "";
    }
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

/** Stores predictions of a run; false when it is over. */
async function storePredictions(
  ctx: Ctx,
  uid: string,
  items: readonly PredictItem[],
  responses: readonly Predicted[],
): Promise<boolean> {
  return transaction(ctx, async (tx) => {
    const { count } = await tx.db.run.updateMany({ where: isOpen(uid), data: { updatedAt: databaseNow() } });
    if (count === 0) return false;
    await tx.db.prediction.createMany({
      data: items.map((item, at) => ({
        runId: uid,
        itemId: item.uid,
        datasetId: item.dataset_id,
        nodes: (responses[at]?.nodes ?? []) as Prisma.InputJsonArray,
        clippedCount: responses[at]?.clipped ?? 0,
      })),
      skipDuplicates: true,
    });
    const { _count: done, _sum: sum } = await tx.db.prediction.aggregate({
      where: { runId: uid },
      _count: true,
      _sum: { clippedCount: true },
    });
    await tx.db.run.update({ where: { uid }, data: { doneCount: done, clippedCount: sum.clippedCount ?? 0 } });
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
  const { datasetId } = await tx.db.run.findUniqueOrThrow({ where: { uid }, select: { datasetId: true } });
  await announce(tx, "dataset", datasetId, "updated");
}

async function endFenced(ctx: Ctx, uid: string, error: string | null, run: JobRun): Promise<void> {
  await transaction(ctx, async (tx) => {
    await fence(tx, run.attempt);
    await endRun(tx, uid, error);
  });
}
