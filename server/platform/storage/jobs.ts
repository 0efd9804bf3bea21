import { databaseMs } from "@/server/platform/clock";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";
import { removeLeftovers } from "@/server/platform/storage/leftovers";
import { removeObjects, removeStored } from "@/server/platform/storage/removal";

/** Age in hours at which what is left of an upload without a session is removed. */
const leftoverHours = 24;

export const sweepUnfinished = handle(jobs.sweepUnfinished, async (_payload, { signal, log }) => {
  const removed = await removeLeftovers(new Date(databaseMs() - leftoverHours * 3_600_000), signal);
  if (removed > 0) log.info({ removed }, "removed what unfinished uploads had left");
});

export const deleteStoredKeys = handle(jobs.deleteStoredKeys, ({ keys }) => removeObjects(keys));

export const deleteStoredObjects = handle(jobs.deleteStoredObjects, ({ prefix }) => removeStored(prefix));
