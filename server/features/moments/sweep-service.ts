import { enqueueExtraction } from "@/server/features/moments/add-service";
import { databaseNow } from "@/server/platform/clock";
import { systemContext } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, transaction } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { orphanedAfterSeconds, orphans, removeExhausted } from "@/server/platform/jobs/orphaned";

/**
 * Queues extractions whose job is lost. One that ended the worker in every attempt has failed. Returns how many there were.
 */
export async function sweepMoments(afterSeconds = orphanedAfterSeconds): Promise<number> {
  const unfinished = Prisma.sql`moments r where r.finished_at is null`;
  const stuck = await orphans([jobs.extractMoment], "momentId", unfinished, afterSeconds);
  for (const each of stuck) {
    await transaction(systemContext(prisma, each.organization_id), async (tx) => {
      await removeExhausted(tx, each);
      if (each.exhausted === null) return enqueueExtraction(tx, each.uid);
      const error = "Reading it stopped the worker again and again.";
      await tx.db.moment.updateMany({
        where: { uid: each.uid, finishedAt: null },
        data: { status: "failed", error, finishedAt: databaseNow() },
      });
    });
  }
  return stuck.length;
}
