import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";
import { removeStored } from "@/server/platform/storage/removal";

export const deleteStoredObjects = handle(jobs.deleteStoredObjects, ({ prefix }) => removeStored(prefix));
