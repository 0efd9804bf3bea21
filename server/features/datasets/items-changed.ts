import type { Ctx } from "@/server/platform/context";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";

/** Milliseconds within which changes of a dataset's items are counted once. */
const gatherMs = 1_000;

/**
 * Has the slices of a dataset counted anew, soon and once for many changes, in the transaction that changed its items.
 */
export const itemsChanged = (tx: Ctx, datasetId: string): Promise<void> =>
  enqueue(
    tx,
    jobs.countSlices,
    { organizationId: tx.organizationId, datasetId },
    { key: `slices-${datasetId}`, keepTime: true, runAt: new Date(Date.now() + gatherMs) },
  );
