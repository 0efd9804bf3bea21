import { createTransport, type Transporter } from "nodemailer";
import { env } from "@/server/platform/env";
import type { Log } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";

export interface Mail {
  to: string | readonly string[];
  subject: string;
  text: string;
  html?: string | undefined;
  headers?: Record<string, string>;
  /** Pictures that the HTML refers to by `cid:<id>`. */
  inline?: readonly { id: string; name: string; jpeg: Buffer }[];
}

/** Whether mail can be sent, which needs SMTP_URL. */
export const sendsMail = (): boolean => env.SMTP_URL !== undefined;

const transports = processWide("mailTransports", () => new Map<string, Transporter>());

function transportFor(url: string): Transporter {
  let transport = transports.get(url);
  if (!transport) {
    transport = createTransport(
      {
        url,
        connectionTimeout: 10_000,
        greetingTimeout: 10_000,
        socketTimeout: 30_000,
        // nodemailer must never read a file or address that a message names.
        disableFileAccess: true,
        disableUrlAccess: true,
      },
      { from: env.MAIL_FROM },
    );
    transports.set(url, transport);
  }
  return transport;
}

/** The mail server's reply, and the id of the sent mail. */
export interface SentMail {
  response: string;
  messageId: string;
}

/**
 * Sends a mail to the server of SMTP_URL. Throws the error of the server or the network, and an Error when SMTP_URL is
 * not set.
 */
export async function sendMail({ inline = [], ...mail }: Mail): Promise<SentMail> {
  if (!env.SMTP_URL) throw new Error("SMTP_URL is not set");
  const info = await transportFor(env.SMTP_URL).sendMail({
    ...mail,
    to: [...[mail.to].flat()],
    attachments: inline.map(({ id, name, jpeg }) => ({
      cid: id,
      filename: name,
      content: jpeg,
      contentType: "image/jpeg",
      contentDisposition: "inline" as const,
    })),
  });
  return { response: String(info.response), messageId: String(info.messageId) };
}

/** Sends a mail. Without a mail server, logs that it was not sent, without its content. */
export async function sendOrLog({ to, subject, ...mail }: Mail, log: Log): Promise<void> {
  if (!sendsMail()) {
    log.warn({ to, subject }, "no SMTP_URL is set; this mail was not sent");
    return;
  }
  const { messageId } = await sendMail({ to, subject, ...mail });
  log.info({ to, subject, messageId }, "mail sent");
}
