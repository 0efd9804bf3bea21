import { runBulkEdit } from "@/server/features/bulk-edits/run-service";
import { sweepBulkEdits } from "@/server/features/bulk-edits/sweep-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const run = handle(jobs.runBulkEdit, ({ organizationId, editId }, jobRun) =>
  runBulkEdit(organizationId, editId, jobRun),
);

export const sweep = handle(jobs.sweepBulkEdits, async (_payload, { log }) => {
  const count = await sweepBulkEdits();
  if (count > 0) log.warn({ count }, "bulk edits had no job");
});
