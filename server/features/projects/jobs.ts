import { makeTasks } from "@/server/features/projects/task-creation-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const make = handle(jobs.makeTasks, ({ organizationId, ...of }) => makeTasks(organizationId, of));
