import { beforeLarge, giveWay } from "@/server/features/processing/give-way";
import { processStoredRecording } from "@/server/features/processing/service";
import { sweepStuckRecordings } from "@/server/features/processing/sweep-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const process = handle(jobs.processRecording, ({ organizationId, recordingId }, run) =>
  processStoredRecording(organizationId, recordingId, run, giveWay),
);

export const processSmall = handle(jobs.processSmallRecording, ({ organizationId, recordingId }, run) =>
  beforeLarge(() => processStoredRecording(organizationId, recordingId, run)),
);

export const sweep = handle(jobs.sweepProcessing, async (_payload, { log }) => {
  const count = await sweepStuckRecordings();
  if (count > 0) log.warn({ count }, "recordings had no job to process them");
});
