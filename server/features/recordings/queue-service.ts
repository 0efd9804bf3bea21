import type { Ctx } from "@/server/platform/context";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";

/** Bytes up to which a recording is processed beside larger ones, by jobs of its own: it takes less than a second. */
const smallBytes = 32_000_000;

/** Queues the processing of the recording's files, in the transaction of `tx`. */
export const enqueueProcessing = (tx: Ctx, { uid, sizeBytes }: { uid: string; sizeBytes: number }): Promise<void> =>
  enqueue(
    tx,
    sizeBytes <= smallBytes ? jobs.processSmallRecording : jobs.processRecording,
    { organizationId: tx.organizationId, recordingId: uid },
    { key: `recordings.process:${uid}` },
  );
