import { labelRecording, startWaitingRuns } from "@/server/features/models/labelling-service";
import { runModel } from "@/server/features/models/run-work-service";
import { sweepRuns } from "@/server/features/models/sweep-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const run = handle(jobs.runModel, ({ organizationId, runId }, jobRun) =>
  runModel(organizationId, runId, jobRun),
);
export const label = handle(jobs.labelRecording, ({ organizationId, ...labelling }) =>
  labelRecording(organizationId, labelling),
);
export const startWaiting = handle(jobs.startWaitingRuns, ({ organizationId, datasetId }) =>
  startWaitingRuns(organizationId, datasetId),
);

export const sweep = handle(jobs.sweepRuns, async (_payload, { log }) => {
  const count = await sweepRuns();
  if (count > 0) log.warn({ count }, "model runs had no job");
});
