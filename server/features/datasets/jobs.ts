import { examineItems } from "@/server/features/datasets/examination-service";
import { expireDatasetUploads } from "@/server/features/datasets/expiry-service";
import { anyFreshCount, foldItemCounts } from "@/server/features/datasets/item-counts-service";
import { refuseNextItems, sweepDatasets } from "@/server/features/datasets/sweep-service";
import { fillTints, sweepTints } from "@/server/features/datasets/tint-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle, handleReading } from "@/server/platform/jobs/handler";

export const examine = handleReading(
  jobs.examineItems,
  ({ organizationId, datasetId }, run) => examineItems(organizationId, datasetId, run),
  refuseNextItems,
);

export const expireUploads = handle(jobs.expireDatasetUploads, async (_payload, { signal }) => {
  while ((await expireDatasetUploads()) > 0 && !signal.aborted);
});

export const sweep = handle(jobs.sweepDatasets, async (_payload, { log }) => {
  const count = await sweepDatasets();
  if (count > 0) log.warn({ count }, "datasets had no job to read their items");
});

export const foldCounts = handle(jobs.foldItemCounts, async () => void (await foldItemCounts()), anyFreshCount);

export const tints = handle(jobs.fillTints, fillTints);

export const sweepForTints = handle(jobs.sweepTints, async (_payload, { log }) => {
  const count = await sweepTints();
  if (count > 0) log.info({ count }, "datasets have pictures without their mean colour");
});
