import { jobs } from "@/server/jobs/definitions";
import { handle } from "@/server/jobs/handler";
import { labelRecording, startWaitingRuns } from "@/server/models/label-recording";
import { runModel } from "@/server/models/work";

export const run = handle(jobs.runModel, ({ organizationId, runId }, jobRun) => runModel(organizationId, runId, jobRun));
export const label = handle(jobs.labelRecording, ({ organizationId, ...labelling }) => labelRecording(organizationId, labelling));
export const startWaiting = handle(jobs.startWaitingRuns, ({ organizationId, datasetId }) => startWaitingRuns(organizationId, datasetId));
