import { extractMoment } from "@/server/features/moments/extract-service";
import { sweepMoments } from "@/server/features/moments/sweep-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const extract = handle(jobs.extractMoment, ({ organizationId, momentId }, run) =>
  extractMoment(organizationId, momentId, run),
);

export const sweep = handle(jobs.sweepMoments, async (_payload, { log }) => {
  const count = await sweepMoments();
  if (count > 0) log.warn({ count }, "moments had no job to extract them");
});
