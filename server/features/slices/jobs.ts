import { countSlices } from "@/server/features/slices/count-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";
import { announceSoon } from "@/server/platform/realtime/changes";

export const count = handle(jobs.countSlices, async ({ organizationId, datasetId }) => {
  await countSlices(datasetId);
  // It runs once for many changes of items, so that open pages are notified of them no more often.
  announceSoon({ organizationId }, "dataset", datasetId, "updated");
});
