import { escapeHtml, page } from "@/server/platform/mail/html";

/** What a link in a mail to an account's own address is for. */
export type LinkPurpose = "reset" | "verify";

const texts: Record<LinkPurpose, { subject: string; opening: string; action: string; validity: string }> = {
  reset: {
    subject: "Set a new password for Muster",
    opening: "Somebody, probably you, wants to set a new password for your Muster account.",
    action: "Set a new password",
    validity: "The link works once, for 30 minutes. If this was not you, ignore it: your password stays as it is.",
  },
  verify: {
    subject: "Confirm your e-mail address for Muster",
    opening: "A Muster account was made with this e-mail address.",
    action: "Confirm the address",
    validity: "The link works once, for 3 days. If this was not you, ignore it.",
  },
};

/** The mail with such a link. */
export function accountLinkMail(purpose: LinkPurpose, link: string) {
  const { subject, opening, action, validity } = texts[purpose];
  return {
    subject,
    text: `${opening}\n\n${action}:\n${link}\n\n${validity}\n`,
    html: page(
      `<p>${escapeHtml(opening)}</p><p><a href="${escapeHtml(link)}">${escapeHtml(action)}</a></p>` +
        `<p style="word-break:break-all">${escapeHtml(link)}</p><p style="color:#555">${escapeHtml(validity)}</p>`,
    ),
  };
}
