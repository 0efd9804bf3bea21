import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { env } from "@/server/platform/env";
import { processWide } from "@/server/platform/process-wide";

interface ReceivedMail {
  from: string;
  to: string[];
  /** Headers and body as received. */
  raw: string;
}

/** A real SMTP server on loopback, which is the `SMTP_URL` until it is closed. */
export interface MailServer {
  url: string;
  received: ReceivedMail[];
  /** Refuses the next messages with this reply code; null accepts them again. */
  refuseWith: (code: number | null) => void;
  close: () => Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let refusal: number | null = null;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        if (refusal !== null) return done(Object.assign(new Error("refused"), { responseCode: refusal }));
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString(),
        });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  void env.SMTP_URL; // reads the settings before one is replaced
  const settings = processWide<{ SMTP_URL?: string }>("env", () => ({}));
  const before = settings.SMTP_URL;
  settings.SMTP_URL = url;
  return {
    url,
    received,
    refuseWith: (code) => {
      refusal = code;
    },
    close: () => {
      if (before === undefined) delete settings.SMTP_URL;
      else settings.SMTP_URL = before;
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
