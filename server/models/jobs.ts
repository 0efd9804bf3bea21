import { jobs } from "@/server/jobs/definitions";
import { handle } from "@/server/jobs/handler";
import { runModel } from "@/server/models/work";

export const run = handle(jobs.runModel, ({ organizationId, runId }, jobRun) => runModel(organizationId, runId, jobRun));
