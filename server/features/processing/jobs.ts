import { beforeLarge, giveWay } from "@/server/features/processing/give-way";
import { processStoredRecording, refuseRecording } from "@/server/features/processing/service";
import { sweepStuckRecordings } from "@/server/features/processing/sweep-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle, handleReading } from "@/server/platform/jobs/handler";

export const process = handleReading(
  jobs.processRecording,
  ({ organizationId, recordingId }, run) => processStoredRecording(organizationId, recordingId, run, giveWay),
  refuseRecording,
);

export const processSmall = handleReading(
  jobs.processSmallRecording,
  ({ organizationId, recordingId }, run) => beforeLarge(() => processStoredRecording(organizationId, recordingId, run)),
  refuseRecording,
);

export const sweep = handle(jobs.sweepProcessing, async (_payload, { log }) => {
  const count = await sweepStuckRecordings();
  if (count > 0) log.warn({ count }, "recordings had no job to process them");
});
