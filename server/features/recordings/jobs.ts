import { expireInactiveUploads, expiryBatchSize } from "@/server/features/recordings/expiry-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

/** Expires inactive uploads. */
export const expireUploads = handle(jobs.expireUploads, async (_payload, { signal }) => {
  for (let ended = expiryBatchSize; ended === expiryBatchSize && !signal.aborted;)
    ended = await expireInactiveUploads();
});
