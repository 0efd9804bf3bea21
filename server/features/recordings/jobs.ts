import { expireInactiveUploads, expiryBatchSize } from "@/server/features/recordings/expiry-service";
import { removeUnconfirmed } from "@/server/features/uploads/leftover-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const removeUnconfirmedFiles = handle(jobs.removeUnconfirmed, ({ organizationId, recordingId }) =>
  removeUnconfirmed(organizationId, recordingId),
);

/** Expires inactive uploads. */
export const expireUploads = handle(jobs.expireUploads, async (_payload, { signal }) => {
  for (let ended = expiryBatchSize; ended === expiryBatchSize && !signal.aborted;)
    ended = await expireInactiveUploads();
});
