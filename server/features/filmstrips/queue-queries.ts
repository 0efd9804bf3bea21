import type { Ctx } from "@/server/platform/context";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";

/** Later than anything that people or devices wait for. */
const lowPriority = 100;

/**
 * Queues the filmstrips of a recording with cameras, in the transaction of `tx`. One recording at a time is read, whatever
 * the number of workers.
 */
export async function enqueueFilmstrip(tx: Ctx, recordingId: string): Promise<void> {
  await enqueue(
    tx,
    jobs.makeFilmstrip,
    { organizationId: tx.organizationId, recordingId },
    { key: `filmstrips.make:${recordingId}`, queue: "filmstrips", priority: lowPriority },
  );
}
