import { deleteEndedDrafts, releaseLeftDrafts } from "@/server/features/tasks/kept-drafts-service";
import { releaseLeases } from "@/server/features/tasks/lease-service";
import { endLostWork } from "@/server/features/tasks/lost-work-service";
import { workOnPreLabels } from "@/server/features/tasks/pre-label-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const endLost = handle(jobs.endLostWork, async ({ organizationId }, { log }) => {
  const leases = await endLostWork(organizationId);
  if (leases > 0) log.info({ leases }, "leases ended of people who may not go on");
});

export const release = handle(jobs.releaseLeases, async (_payload, { log }) => {
  const leases = await releaseLeases();
  const left = await releaseLeftDrafts();
  const drafts = await deleteEndedDrafts();
  if (leases + left + drafts > 0) log.info({ leases, left, drafts }, "leases of tasks ended, drafts deleted");
});

export const offer = handle(jobs.preLabel, ({ organizationId, ...work }, jobRun) =>
  workOnPreLabels(organizationId, work, jobRun),
);
