import { expireInvitations } from "@/server/features/organizations/invitation-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const expire = handle(jobs.expireInvitations, async (_payload, { log }) => {
  const expired = await expireInvitations();
  if (expired > 0) log.info({ expired }, "invitations expired");
});
