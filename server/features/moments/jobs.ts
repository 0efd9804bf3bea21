import { extractMoment, refuseMoment } from "@/server/features/moments/extract-service";
import { sweepMoments } from "@/server/features/moments/sweep-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle, handleReading } from "@/server/platform/jobs/handler";

export const extract = handleReading(
  jobs.extractMoment,
  ({ organizationId, momentId }, run) => extractMoment(organizationId, momentId, run),
  refuseMoment,
);

export const sweep = handle(jobs.sweepMoments, async (_payload, { log }) => {
  const count = await sweepMoments();
  if (count > 0) log.warn({ count }, "moments had no job to extract them");
});
