import type { z } from "zod";
import { databaseMs } from "@/server/platform/clock";
import { prisma, transaction } from "@/server/platform/db";
import { jobs, type JobDefinition } from "@/server/platform/jobs/definitions";
import { handle, type JobRun } from "@/server/platform/jobs/handler";
import { enqueue, fence } from "@/server/platform/jobs/queue";
import { removeLeftovers } from "@/server/platform/storage/leftovers";
import { BackupRunning, removeObjects, removeStored } from "@/server/platform/storage/removal";

/** Age in hours at which what is left of an upload without a session is removed. */
const leftoverHours = 24;

export const sweepUnfinished = handle(jobs.sweepUnfinished, async (_payload, { signal, log }) => {
  const removed = await removeLeftovers(new Date(databaseMs() - leftoverHours * 3_600_000), signal);
  if (removed > 0) log.info({ removed }, "removed what unfinished uploads had left");
});

/** How long a removal waits for a backup before it tries again. A backup may take longer than all attempts of a job. */
const afterBackupMs = 300_000;

/** Runs a removal; another job does it later where a backup needs the files now. */
async function orLater<P extends z.ZodType>(
  definition: JobDefinition<P>,
  payload: z.input<P>,
  run: JobRun,
  remove: () => Promise<void>,
): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (!(error instanceof BackupRunning)) throw error;
    await transaction({ db: prisma }, async (tx) => {
      await fence(tx, run.attempt);
      await enqueue(tx, definition, payload, { runAt: new Date(databaseMs() + afterBackupMs) });
    });
  }
}

export const deleteStoredKeys = handle(jobs.deleteStoredKeys, (payload, run) =>
  orLater(jobs.deleteStoredKeys, payload, run, () => removeObjects(payload.keys)),
);

export const deleteStoredObjects = handle(jobs.deleteStoredObjects, (payload, run) =>
  orLater(jobs.deleteStoredObjects, payload, run, () => removeStored(payload.prefix)),
);
