import { markFailed } from "@/server/features/processing/finish-service";
import { enqueueProcessing } from "@/server/features/recordings/queue-service";
import { removeFailedSeries } from "@/server/features/stored-series/store-service";
import { systemContext } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query, transaction } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { findLastAttempt, orphanedAfterSeconds, orphans, removeExhausted } from "@/server/platform/jobs/orphaned";
import { int8 } from "@/server/platform/rows";

/**
 * Queues a job for recordings that are `processing` without one; those whose worker stopped on every attempt become an
 * error instead. Returns how many there were.
 */
export async function sweepStuckRecordings(afterSeconds = orphanedAfterSeconds): Promise<number> {
  const stuck = await orphans(
    [jobs.processRecording, jobs.processSmallRecording],
    "recordingId",
    Prisma.sql`recordings r where r.status = 'processing'`,
    afterSeconds,
  );
  for (const each of stuck) {
    await transaction(systemContext(prisma, each.organization_id), async (tx) => {
      const [recording] = await query(
        tx,
        { size_bytes: int8 },
        Prisma.sql`select size_bytes from recordings where uid = ${each.uid} and status = 'processing' for update`,
      );
      if (!recording) return;
      if (each.exhausted === null)
        return enqueueProcessing(tx, { uid: each.uid, sizeBytes: Number(recording.size_bytes) });
      const last = await findLastAttempt(tx, each);
      if (last) await removeFailedSeries(tx, each.uid, last);
      await markFailed(tx, each.uid, "Processing stopped the worker again and again.");
      await removeExhausted(tx, each);
    });
  }
  return stuck.length;
}
