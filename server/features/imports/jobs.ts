import { lookAtImport, refuseImport } from "@/server/features/imports/check-service";
import { runImport } from "@/server/features/imports/run-service";
import { sweepImports } from "@/server/features/imports/sweep-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle, handleReading } from "@/server/platform/jobs/handler";

export const check = handleReading(jobs.checkImport, lookAtImport, refuseImport);
export const run = handleReading(jobs.runImport, runImport, refuseImport);

export const sweep = handle(jobs.sweepImports, async (_payload, { log }) => {
  const count = await sweepImports();
  if (count > 0) log.warn({ count }, "imports had no job");
});
