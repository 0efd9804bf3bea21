import { applyOperatorRetention } from "@/server/features/retention/operator-service";
import { applyRetention } from "@/server/features/retention/organization-service";
import { notingOutcome } from "@/server/features/retention/outcome-service";
import { sweepRetention } from "@/server/features/retention/sweep-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const sweep = handle(jobs.sweepRetention, async (_payload, { log }) => {
  log.info({ queued: await sweepRetention() }, "daily deletion queued");
});

export const apply = handle(jobs.applyRetention, async ({ organizationId }, run) => {
  const freed = await notingOutcome<object>(organizationId, run, () =>
    organizationId === null ? applyOperatorRetention(run) : applyRetention(organizationId, run),
  );
  const by = organizationId === null ? "the operator" : "the organization";
  run.log.info({ ...(organizationId !== null && { organizationId }), freed }, `deleted what ${by} does not retain`);
});
