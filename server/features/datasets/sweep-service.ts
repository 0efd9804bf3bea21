import { removeNextPending } from "@/server/features/datasets/examination-service";
import { enqueueExamination } from "@/server/features/datasets/upload-service";
import { systemContext } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, transaction } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import type { JobRun } from "@/server/platform/jobs/handler";
import { orphanedAfterSeconds, orphans, removeExhausted } from "@/server/platform/jobs/orphaned";
import { AttemptSuperseded, ownsJob } from "@/server/platform/jobs/queue";

/** Removes the items that would be read next, with a reason in their upload, and queues the reading of those after them. */
export async function refuseNextItems(
  { organizationId, datasetId }: { organizationId: string; datasetId: string },
  run: JobRun,
  reason: string,
): Promise<void> {
  const ctx = systemContext(prisma, organizationId);
  if (!(await ownsJob(ctx, run.attempt))) throw new AttemptSuperseded(run.attempt);
  await removeNextPending(ctx, datasetId, reason);
  await enqueueExamination(ctx, datasetId);
}

/**
 * Queues the examination of datasets whose job is lost. Where reading ended the worker in every attempt, the items that
 * were being read are removed first, with the reason in their upload. Returns how many datasets there were.
 */
export async function sweepDatasets(afterSeconds = orphanedAfterSeconds): Promise<number> {
  const waiting = Prisma.sql`datasets r where r.status = 'creating'`;
  const stuck = await orphans([jobs.examineItems], "datasetId", waiting, afterSeconds);
  for (const each of stuck) {
    const ctx = systemContext(prisma, each.organization_id);
    if (each.exhausted !== null)
      await removeNextPending(ctx, each.uid, "Reading it stopped the worker again and again.");
    await transaction(ctx, async (tx) => {
      await removeExhausted(tx, each);
      await enqueueExamination(tx, each.uid);
    });
  }
  return stuck.length;
}
