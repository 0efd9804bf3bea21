import { findEmail } from "@/server/features/accounts/account-service";
import { mailAccountLink } from "@/server/features/accounts/mail-link-service";
import { composeInvitationMail, expireInvitations } from "@/server/features/membership/invitation-service";
import { composeDeletionMail } from "@/server/features/organizations/deletion-service";
import { purgeOrganization, sweepDeletions } from "@/server/features/organizations/purge-service";
import { deleteExpired } from "@/server/platform/expired-rows";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";
import { accountNoticeMail } from "@/server/platform/mail/account-notice";
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
  const deleted = (await deleteExpired("sessions")) + (await deleteExpired("mail_links"));
  if (deleted > 0) log.info({ deleted }, "ended sessions and links deleted");
});

export const mailLink = handle(jobs.mailAccountLink, async ({ email, purpose }, { log }) => {
  if (!sendsMail()) return log.warn({ purpose }, "no SMTP_URL is set; the mail with a link was not sent");
  const sent = await mailAccountLink(email, purpose);
  log.info({ purpose, sent }, "mail with a link handled");
});

/** Mails the owner that their organization will be deleted, unless that was taken back meanwhile. */
export const mailDeletion = handle(jobs.mailDeletion, async ({ organizationId, by }, { log }) => {
  const composed = await composeDeletionMail(organizationId, by);
  if (composed) await sendOrLog(composed, log);
});

/** Mails a person that how they sign in was changed. */
export const mailNotice = handle(jobs.mailAccountNotice, async ({ userId, change, at }, { log }) => {
  const email = await findEmail(userId);
  if (email !== null) await sendOrLog({ to: email, ...accountNoticeMail(change, at) }, log);
});

export const sweep = handle(jobs.sweepDeletions, async (_payload, { log }) => {
  const queued = await sweepDeletions();
  if (queued > 0) log.info({ queued }, "deletions of organizations queued");
});

export const purge = handle(jobs.deleteOrganization, async ({ organizationId }, run) => {
  const freed = await purgeOrganization(organizationId, run);
  if (freed) run.log.info({ organizationId, freed }, "organization deleted with its rows and files");
});
