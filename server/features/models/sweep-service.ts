import { endRun } from "@/server/features/models/run-work-service";
import { systemContext } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, transaction } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { orphanedAfterSeconds, orphans, removeExhausted } from "@/server/platform/jobs/orphaned";
import { enqueue } from "@/server/platform/jobs/queue";

/**
 * Queues a job for runs that have none, and fails those whose worker stopped on every attempt. A run that waits for its
 * items to be indexed has no job until then. Returns how many runs it found.
 */
export async function sweepRuns(afterSeconds = orphanedAfterSeconds): Promise<number> {
  const open = Prisma.sql`model_runs r where r.completed_at is null and r.status in ('pending', 'running')
    and not exists (select 1 from items i where i.uid = any(r.item_ids) and i.status = 'pending')`;
  const stuck = await orphans([jobs.runModel], "runId", open, afterSeconds);
  for (const each of stuck) {
    await transaction(systemContext(prisma, each.organization_id, "models"), async (tx) => {
      if (each.exhausted === null)
        await enqueue(tx, jobs.runModel, { organizationId: each.organization_id, runId: each.uid });
      else await endRun(tx, each.uid, "The run stopped the worker again and again.");
      await removeExhausted(tx, each);
    });
  }
  return stuck.length;
}
