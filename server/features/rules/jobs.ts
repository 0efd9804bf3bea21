import { refuseRun, workOnRun } from "@/server/features/rules/run-work-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handleReading } from "@/server/platform/jobs/handler";

/** Applies a saved rule to past recordings, or computes a preview that is too large for a request. */
export const runRule = handleReading(
  jobs.runRule,
  ({ organizationId, runId }, run) => workOnRun(organizationId, runId, run),
  refuseRun,
);
