import { jobs } from "@/server/jobs/definitions";
import { handle } from "@/server/jobs/handler";
import { removeStored } from "@/server/storage/removal";

export const deleteStoredObjects = handle(jobs.deleteStoredObjects, ({ prefix }) => removeStored(prefix));
