import { jobs } from "@/server/jobs/definitions";
import { handle } from "@/server/jobs/handler";
import { objectStore } from "@/server/storage/current";

export const deleteStoredObjects = handle(jobs.deleteStoredObjects, ({ prefix }) => objectStore().deletePrefix(prefix));
