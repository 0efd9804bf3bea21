import { makeCapture, refuseCapture } from "@/server/features/captures/make-service";
import { sweepCaptures } from "@/server/features/captures/sweep-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle, handleReading } from "@/server/platform/jobs/handler";

export const make = handleReading(jobs.captureAlert, makeCapture, refuseCapture);

export const sweep = handle(jobs.sweepCaptures, async (_payload, { log }) => {
  const count = await sweepCaptures();
  if (count > 0) log.info({ count }, "removed captures of alerts");
});
