import { expireRobotDescriptions } from "@/server/features/robot-descriptions/expiry-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const expire = handle(jobs.expireRobotDescriptions, async (_payload, { signal }) => {
  while ((await expireRobotDescriptions()) > 0 && !signal.aborted);
});
