import { databaseMs } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";

/** Changes of a dataset's items within this many milliseconds are counted by one job. */
const coalesceMs = 1_000;

/** Queues a recount of a dataset's slices, one job for many changes, in the transaction that changed its items. */
export const itemsChanged = (tx: Ctx, datasetId: string): Promise<void> =>
  enqueue(
    tx,
    jobs.countSlices,
    { organizationId: tx.organizationId, datasetId },
    { key: `slices-${datasetId}`, keepTime: true, runAt: new Date(databaseMs() + coalesceMs) },
  );

/**
 * Queues making the tasks of items that have none, of one project or of all that annotate a dataset; one job for all that ask
 * before it starts.
 */
export const tasksMissing = (tx: Ctx, of: { projectId: string } | { datasetId: string }): Promise<void> =>
  enqueue(
    tx,
    jobs.makeTasks,
    { organizationId: tx.organizationId, ...of },
    { key: `projects.make-tasks:${tx.organizationId}:${"projectId" in of ? of.projectId : of.datasetId}` },
  );
