import { makeParts } from "@/server/features/health/parts-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const parts = handle(jobs.makeMetricParts, async (_payload, { log }) => {
  const made = await makeParts();
  if (made > 0) log.info({ made }, "parts of the tables of metrics made");
});
