import { releaseLeases } from "@/server/features/tasks/lease-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const release = handle(jobs.releaseLeases, async (_payload, { log }) => {
  const count = await releaseLeases();
  if (count > 0) log.info({ count }, "leases of tasks ended");
});
