import { expireExports } from "@/server/features/exports/expiry-service";
import { startExports } from "@/server/features/exports/queue-service";
import { refuseExport, runExport } from "@/server/features/exports/run-service";
import { sweepExports } from "@/server/features/exports/sweep-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle, handleReading } from "@/server/platform/jobs/handler";

export const start = handle(jobs.startExports, ({ organizationId }) => startExports(organizationId));
export const run = handleReading(
  jobs.runExport,
  ({ organizationId, exportId }, jobRun) => runExport(organizationId, exportId, jobRun),
  ({ organizationId, exportId }, jobRun) => refuseExport(organizationId, exportId, jobRun),
);
export const expire = handle(jobs.expireExports, async (_payload, { signal }) => {
  while ((await expireExports()) > 0 && !signal.aborted);
});

export const sweep = handle(jobs.sweepExports, async (_payload, { log }) => {
  const count = await sweepExports();
  if (count > 0) log.warn({ count }, "exports had no job");
});
