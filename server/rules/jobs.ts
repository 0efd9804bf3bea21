import { jobs } from "@/server/jobs/definitions";
import { handle } from "@/server/jobs/handler";
import { workOnRun } from "@/server/rules/run-work";

/** Applies a saved rule to past recordings, or answers a preview that was too large to wait for. */
export const runRule = handle(jobs.runRule, ({ organizationId, runId }, run) => workOnRun(organizationId, runId, run));
