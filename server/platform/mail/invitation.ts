import { escapeHtml, page } from "@/server/platform/mail/html";

export interface InvitationMail {
  organizationName: string;
  role: string;
  /** Username of the person who invites; null for an invitation by the platform. */
  inviter: string | null;
  link: string;
  days: number;
}

/** The mail with the link of an invitation. */
export function invitationMail({ organizationName, role, inviter, link, days }: InvitationMail) {
  // A single line, so that a name cannot add lines to the mail.
  const name = organizationName.replaceAll(/\s+/g, " ").slice(0, 120);
  const invited = `${inviter ?? "An administrator"} invited you to join ${name} on Muster as ${role === "admin" ? "an admin" : "a member"}.`;
  const validity = `The link works once, for ${days} days. If you did not expect this, ignore it: nothing happens without you.`;
  return {
    subject: `Join ${name} on Muster`,
    text: `${invited}\n\nAccept the invitation:\n${link}\n\n${validity}\n`,
    html: page(
      `<p>${escapeHtml(invited)}</p><p><a href="${escapeHtml(link)}">Accept the invitation</a></p>` +
        `<p style="word-break:break-all">${escapeHtml(link)}</p><p style="color:#555">${escapeHtml(validity)}</p>`,
    ),
  };
}
