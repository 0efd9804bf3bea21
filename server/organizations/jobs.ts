import { jobs } from "@/server/jobs/definitions";
import { handle } from "@/server/jobs/handler";
import { expireInvitations } from "@/server/organizations/invitations";

export const expire = handle(jobs.expireInvitations, async (_payload, { log }) => {
  const expired = await expireInvitations();
  if (expired > 0) log.info({ expired }, "invitations expired");
});
