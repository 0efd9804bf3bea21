import { createTransport, type Transporter } from "nodemailer";
import { env } from "@/server/platform/env";
import { processWide } from "@/server/platform/process-wide";

export interface Mail {
  to: string | readonly string[];
  subject: string;
  text: string;
  html?: string | undefined;
  headers?: Record<string, string>;
}

/** Whether mail leaves at all: only with SMTP_URL. */
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
        // A message is only what we say it is: no file or address named inside one is ever read.
        disableFileAccess: true,
        disableUrlAccess: true,
      },
      { from: env.MAIL_FROM },
    );
    transports.set(url, transport);
  }
  return transport;
}

/** What the mail server said: its reply, and who it took the mail for. */
export interface SentMail {
  response: string;
  messageId: string;
}

/**
 * Hands a mail to the server of SMTP_URL. Throws what the server or the network refused with, and an Error when no
 * SMTP_URL is set.
 */
export async function sendMail(mail: Mail): Promise<SentMail> {
  if (!env.SMTP_URL) throw new Error("SMTP_URL is not set");
  const info = await transportFor(env.SMTP_URL).sendMail({ ...mail, to: [...[mail.to].flat()] });
  return { response: String(info.response), messageId: String(info.messageId) };
}
