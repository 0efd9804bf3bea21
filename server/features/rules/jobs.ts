import { workOnRun } from "@/server/features/rules/run-work-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

/** Applies a saved rule to past recordings, or answers a preview that was too large to wait for. */
export const runRule = handle(jobs.runRule, ({ organizationId, runId }, run) => workOnRun(organizationId, runId, run));
