import { endSilentUploads, expiryBite } from "@/server/features/recordings/expiry-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

/** Ends uploads that nobody continued. */
export const expireUploads = handle(jobs.expireUploads, async (_payload, { signal }) => {
  for (let ended = expiryBite; ended === expiryBite && !signal.aborted;) ended = await endSilentUploads();
});
