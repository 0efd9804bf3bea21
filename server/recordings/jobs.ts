import { jobs } from "@/server/jobs/definitions";
import { handle } from "@/server/jobs/handler";
import { endSilentUploads, expiryBite } from "@/server/recordings/expiry";

/** Ends uploads that nobody continued. */
export const expireUploads = handle(jobs.expireUploads, async (_payload, { signal }) => {
  for (let ended = expiryBite; ended === expiryBite && !signal.aborted;) ended = await endSilentUploads();
});
