import { databaseNow } from "@/server/platform/clock";
import { env } from "@/server/platform/env";
import { type AccountChange, jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { escapeHtml, page } from "@/server/platform/mail/html";
import { sendsMail } from "@/server/platform/mail/send";

const texts: Record<AccountChange, string> = {
  password_changed: "The password of your Muster account was changed.",
  second_factor_enabled: "The second factor of your Muster account was turned on.",
  second_factor_disabled: "The second factor of your Muster account was turned off.",
  recovery_codes_renewed:
    "The recovery codes of your Muster account were renewed. The earlier ones do not work any more.",
  recovery_code_used: "A recovery code was used in place of your authenticator app.",
};

/** Mails a person that how they sign in was changed, once the transaction of `on` is committed. */
export async function noticeAccountChange(
  on: Parameters<typeof enqueue>[0],
  userId: string,
  change: AccountChange,
): Promise<void> {
  if (sendsMail()) await enqueue(on, jobs.mailAccountNotice, { userId, change, at: databaseNow().toISOString() });
}

/** The mail about such a change. */
export function accountNoticeMail(change: AccountChange, at: string) {
  const time = `${at.slice(0, 16).replace("T", " ")} UTC`;
  const what = `${texts[change]} This was at ${time}.`;
  const otherwise =
    "If this was not you, set a new password, end all other sessions in your profile, and tell the admin of your organization.";
  const link = `${env.PUBLIC_URL}/forgot-password`;
  return {
    subject: "How you sign in to Muster was changed",
    text: `${what}\n\n${otherwise}\n\nSet a new password:\n${link}\n`,
    html: page(
      `<p>${escapeHtml(what)}</p><p>${escapeHtml(otherwise)}</p><p><a href="${escapeHtml(link)}">Set a new password</a></p>` +
        `<p style="word-break:break-all">${escapeHtml(link)}</p>`,
    ),
  };
}
