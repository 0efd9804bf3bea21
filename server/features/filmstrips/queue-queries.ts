import type { Ctx } from "@/server/platform/context";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue, jobState } from "@/server/platform/jobs/queue";

/** Later than anything that people or devices wait for. */
const lowPriority = 100;

const toKey = (recordingId: string): string => `filmstrips.make:${recordingId}`;

/** Whether a job that waits or runs makes the filmstrips of a recording. Another one would take its place. */
export const isFilmstripQueued = async (ctx: Pick<Ctx, "db">, recordingId: string): Promise<boolean> =>
  (await jobState(ctx, toKey(recordingId))) === "open";

/**
 * Queues the filmstrips of a recording with cameras, in the transaction of `tx`. One recording at a time is read, whatever
 * the number of workers.
 */
export async function enqueueFilmstrip(tx: Ctx, recordingId: string): Promise<void> {
  await enqueue(
    tx,
    jobs.makeFilmstrip,
    { organizationId: tx.organizationId, recordingId },
    { key: toKey(recordingId), queue: "filmstrips", priority: lowPriority },
  );
}
