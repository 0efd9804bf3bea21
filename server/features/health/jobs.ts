import { clearDeleted } from "@/server/features/health/clear-service";
import { removeParts } from "@/server/features/health/part-retention-service";
import { makeParts } from "@/server/features/health/parts-service";
import { rollUp } from "@/server/features/health/rollup-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const parts = handle(jobs.keepMetricParts, async (_payload, run) => {
  const made = await makeParts();
  const removed = await removeParts(run);
  run.log.info({ made, ...removed }, "parts of the tables of metrics made and removed");
});

export const rollups = handle(jobs.rollUpMetrics, async (_payload, run) => {
  const done = await rollUp(run);
  if (done.more) run.log.info(done, "rollups of metrics are behind and go on with the next run");
});

export const clear = handle(jobs.clearMetrics, async (_payload, run) => {
  const devices = await clearDeleted(run);
  if (devices > 0) run.log.info({ devices }, "metrics of deleted devices cleared");
});
