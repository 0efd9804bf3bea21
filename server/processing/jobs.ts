import { jobs } from "@/server/jobs/definitions";
import { handle } from "@/server/jobs/handler";
import { processRecording } from "@/server/processing/service";
import { sweepStuckRecordings } from "@/server/processing/sweep";

export const process = handle(jobs.processRecording, ({ organizationId, recordingId }, run) =>
  processRecording(organizationId, recordingId, run),
);

export const sweep = handle(jobs.sweepProcessing, async (_payload, { log }) => {
  const count = await sweepStuckRecordings();
  if (count > 0) log.warn({ count }, "recordings had no job to process them");
});
