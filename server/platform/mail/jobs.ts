import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";
import { sendMail, sendsMail } from "@/server/platform/mail/send";

/** Sends a mail. Without a mail server, logs that it was not sent, without its content. */
export const send = handle(jobs.sendMail, async (mail, { log }) => {
  if (!sendsMail()) {
    log.warn({ to: mail.to, subject: mail.subject }, "no SMTP_URL is set; this mail was not sent");
    return;
  }
  const { messageId } = await sendMail(mail);
  log.info({ to: mail.to, subject: mail.subject, messageId }, "mail sent");
});
