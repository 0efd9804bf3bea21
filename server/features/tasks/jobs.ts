import { deleteEndedDrafts, releaseLeftDrafts } from "@/server/features/tasks/kept-drafts-service";
import { releaseLeases } from "@/server/features/tasks/lease-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const release = handle(jobs.releaseLeases, async (_payload, { log }) => {
  const leases = await releaseLeases();
  const left = await releaseLeftDrafts();
  const drafts = await deleteEndedDrafts();
  if (leases + left + drafts > 0) log.info({ leases, left, drafts }, "leases of tasks ended, drafts deleted");
});
