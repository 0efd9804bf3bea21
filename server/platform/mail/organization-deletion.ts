import { escapeHtml, page } from "@/server/platform/mail/html";

export interface DeletionMail {
  organizationName: string;
  /** Username of the owner who asked for it. */
  by: string;
  deletesAt: Date;
  /** Where the owner takes it back. */
  link: string;
}

/** The mail to the owner of an organization that is being deleted. */
export function organizationDeletionMail({ organizationName, by, deletesAt, link }: DeletionMail) {
  // A single line, so that a name cannot add lines to the mail.
  const name = organizationName.replaceAll(/\s+/g, " ").slice(0, 120);
  const time = `${deletesAt.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const what = `${by} asked to delete the organization ${name} on Muster.`;
  const effect = `Nobody can use it any more, and at ${time} all its devices, recordings and other data will be deleted for good. Until then you can take that back.`;
  return {
    subject: `${name} will be deleted from Muster`,
    text: `${what}\n\n${effect}\n\nTake it back:\n${link}\n`,
    html: page(
      `<p>${escapeHtml(what)}</p><p>${escapeHtml(effect)}</p><p><a href="${escapeHtml(link)}">Take it back</a></p>` +
        `<p style="word-break:break-all">${escapeHtml(link)}</p>`,
    ),
  };
}
