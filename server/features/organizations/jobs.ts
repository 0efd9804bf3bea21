import { composeInvitationMail, expireInvitations } from "@/server/features/organizations/invitation-service";
import { deleteOldLinks, mailAccountLink } from "@/server/features/organizations/mail-link-service";
import { deleteEndedSessions } from "@/server/features/organizations/session-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";
import { sendOrLog, sendsMail } from "@/server/platform/mail/send";

export const expire = handle(jobs.expireInvitations, async (_payload, { log }) => {
  const expired = await expireInvitations();
  if (expired > 0) log.info({ expired }, "invitations expired");
});

/** Mails an invitation, unless it was accepted, cancelled or expired meanwhile. */
export const mail = handle(jobs.mailInvitation, async ({ organizationId, invitationId, inviter }, { log }) => {
  const composed = await composeInvitationMail(organizationId, invitationId, inviter);
  if (composed) await sendOrLog(composed, log);
});

export const expireSessionRows = handle(jobs.expireSessions, async (_payload, { log }) => {
  const deleted = (await deleteEndedSessions()) + (await deleteOldLinks());
  if (deleted > 0) log.info({ deleted }, "ended sessions and links deleted");
});

export const mailLink = handle(jobs.mailAccountLink, async ({ email, purpose }, { log }) => {
  if (!sendsMail()) return log.warn({ purpose }, "no SMTP_URL is set; the mail with a link was not sent");
  const sent = await mailAccountLink(email, purpose);
  log.info({ purpose, sent }, "mail with a link handled");
});
