import { jobs } from "@/server/jobs/definitions";
import { handle } from "@/server/jobs/handler";
import { countSlices } from "@/server/slices/service";

export const count = handle(jobs.countSlices, ({ datasetId }) => countSlices(datasetId));
