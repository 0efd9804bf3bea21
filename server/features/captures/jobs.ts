import { makeCapture } from "@/server/features/captures/make-service";
import { sweepCaptures } from "@/server/features/captures/sweep-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const make = handle(jobs.captureAlert, makeCapture);

export const sweep = handle(jobs.sweepCaptures, async (_payload, { log }) => {
  const count = await sweepCaptures();
  if (count > 0) log.info({ count }, "removed captures of alerts");
});
