import { countSlices } from "@/server/features/slices/service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const count = handle(jobs.countSlices, ({ datasetId }) => countSlices(datasetId));
