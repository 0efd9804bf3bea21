import { createHmac, timingSafeEqual } from "node:crypto";
import http from "node:http";
import { Command } from "commander";
import { CommandError } from "@/cli/client/api-client";

/** What a receiver has to check. It is implemented here as a receiver would, without the sender's code. */
export interface Verdict {
  /** The hex signature over the body. */
  signature: boolean;
  /** The Standard Webhooks signature, and a recent timestamp. */
  standard: boolean;
}

const toleranceSeconds = 300;

const same = (given: string, expected: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/** Whether a request's body was signed with `secret`, in both of the forms that Muster signs in. */
export function verifySignatures(
  headers: http.IncomingHttpHeaders,
  body: Buffer,
  secret: string,
  now = new Date(),
): Verdict {
  const header = (name: string) => String(headers[name] ?? "");
  const hex = createHmac("sha256", secret).update(body).digest("hex");
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : Buffer.from(secret);
  const timestamp = header("webhook-timestamp");
  const expected = createHmac("sha256", key)
    .update(`${header("webhook-id")}.${timestamp}.`)
    .update(body)
    .digest("base64");
  const fresh = Math.abs(now.getTime() / 1000 - Number(timestamp || NaN)) <= toleranceSeconds;
  return {
    signature: same(header("x-service-signature"), hex),
    standard:
      fresh &&
      header("webhook-signature")
        .split(" ")
        .some((each) => same(each, `v1,${expected}`)),
  };
}

const maxBytes = 4 * 1024 * 1024;

interface Shown {
  event?: string;
  alert?: { uid?: string; severity?: string; message?: string; status?: string };
}

function describe(body: Buffer): string {
  try {
    const { event, alert } = JSON.parse(body.toString()) as Shown;
    return [
      event ?? "?",
      alert?.severity && `[${alert.severity}]`,
      alert?.uid,
      alert?.message && JSON.stringify(alert.message),
    ]
      .filter(Boolean)
      .join(" ");
  } catch {
    return `${body.length} bytes that are no JSON`;
  }
}

/** Starts a receiver on loopback that prints each webhook in one line. Resolves when it listens. */
export function startListener(
  port: number,
  secret: string | undefined,
  print: (line: string) => void,
  body = false,
): Promise<http.Server> {
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
    });
    request.on("end", () => {
      if (bytes > maxBytes) return response.writeHead(413).end();
      const content = Buffer.concat(chunks);
      const signed =
        secret === undefined
          ? "signature not checked (no --secret)"
          : describeVerdict(verifySignatures(request.headers, content, secret));
      print(`${request.method} ${request.url} ${describe(content)} · ${signed}`);
      if (body) print(content.toString());
      response.writeHead(204).end();
    });
  });
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new CommandError(
          error.code === "EADDRINUSE" ? `Port ${port} is taken. Choose another with --port.` : error.message,
        ),
      ),
    );
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}

const describeVerdict = ({ signature, standard }: Verdict): string =>
  signature && standard
    ? "signature valid"
    : `signature INVALID (X-Service-Signature ${signature ? "valid" : "invalid"}, webhook-signature ${standard ? "valid" : "invalid"})`;

async function listen(options: { port: string; secret?: string; body?: boolean }): Promise<void> {
  const port = Number(options.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new CommandError("--port must be a number from 1 to 65535.");
  await startListener(port, options.secret, (line) => void process.stdout.write(`${line}\n`), options.body);
  process.stderr.write(
    `Listening on http://127.0.0.1:${port}. Muster sends there only with EGRESS_ALLOW_CIDRS=127.0.0.0/8. Ctrl-C ends it.\n`,
  );
  // The receiver has no state to save.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(0));
}

export const listenCommand = (): Command =>
  new Command("listen")
    .description("Receive webhooks on this machine and print each, with whether its signature verifies.")
    .option("-p, --port <port>", "where to listen on 127.0.0.1", "4000")
    .option("-s, --secret <secret>", "the signing secret of the channel or webhook")
    .option("--body", "print the body too")
    .action(listen);
