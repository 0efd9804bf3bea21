import { jobs } from "@/server/jobs/definitions";
import { handle } from "@/server/jobs/handler";
import { labelRecording, startWaitingRuns } from "@/server/models/label-recording";
import { sweepRuns } from "@/server/models/sweep";
import { runModel } from "@/server/models/work";

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
  if (count > 0) log.warn({ count }, "runs of models had no job");
});
