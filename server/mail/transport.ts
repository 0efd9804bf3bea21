import nodemailer, { type SentMessageInfo, type Transporter } from "nodemailer";
import { env } from "@/server/env";
import { processWide } from "@/server/process-wide";

export interface Mail {
  to: string | readonly string[];
  subject: string;
  text: string;
  html?: string | undefined;
}

/** How long a mail server may keep us waiting at each step, in milliseconds. */
const patience = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000, dnsTimeout: 5_000 };

const holder = processWide<{ url: string | undefined; transport: Transporter | null; given: boolean }>("mail", () => ({
  url: undefined,
  transport: null,
  given: false,
}));

/** The operator's mail server (SMTP_URL), or null when none is set. */
export function mailTransport(): Transporter | null {
  const url = holder.given ? holder.url : env.SMTP_URL;
  if (url === undefined) return null;
  holder.transport ??= nodemailer.createTransport({ url, ...patience });
  return holder.transport;
}

/** Makes this process use another mail server (undefined: none), for tests that bring their own; returns how to undo it. */
export function configureMail(url: string | undefined): () => void {
  const before = { ...holder };
  Object.assign(holder, { url, transport: null, given: true });
  return () => Object.assign(holder, before);
}

/**
 * Sends one mail from MAIL_FROM. Resolves to the server's answer, or to null when no mail server is set; throws when the server
 * cannot be reached or refuses every recipient.
 */
export async function sendMail(mail: Mail): Promise<{ response: string; rejected: string[] } | null> {
  const transport = mailTransport();
  if (!transport) return null;
  const { to, ...rest } = mail;
  const info: SentMessageInfo = await transport.sendMail({
    ...rest,
    from: env.MAIL_FROM,
    to: typeof to === "string" ? to : [...to],
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const rejected = (Array.isArray(info.rejected) ? info.rejected : []) as (string | { address: string })[];
  return {
    response: String(info.response ?? ""),
    rejected: rejected.map((address) => (typeof address === "string" ? address : address.address)),
  };
}
