import { jobs } from "@/server/jobs/definitions";
import { handle } from "@/server/jobs/handler";
import { makeTasks } from "@/server/projects/make-tasks";

export const make = handle(jobs.makeTasks, ({ organizationId, ...of }) => makeTasks(organizationId, of));
