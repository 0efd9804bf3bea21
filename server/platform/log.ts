import pino, { type Logger, type LoggerOptions } from "pino";
import { env } from "@/server/platform/env";
import { processWide } from "@/server/platform/process-wide";
import { currentScope } from "@/server/platform/request-scope";

export type Log = Logger;

const secretKeys = [
  "authorization",
  "Authorization",
  "cookie",
  '["set-cookie"]',
  '["x-service-api-key"]',
  '["x-service-device-token"]',
  "password",
  "secret",
  "token",
  "apiKey",
  "api_key",
  "deviceToken",
  "device_token",
  "signingSecret",
  "signing_secret",
  "routingKey",
  "routing_key",
  "connectionString",
];

/** Each secret's key at the top level of a line and up to two levels below (`headers.cookie`, `req.headers.cookie`). */
const redactedPaths = secretKeys.flatMap((key) =>
  ["", "*", "*.*"].map((above) => (above === "" ? key : key.startsWith("[") ? `${above}${key}` : `${above}.${key}`)),
);

const secretTexts: [RegExp, string][] = [
  [/(\/(?:invite|invitations|reset-password|verify-email|share)\/)[\w-]{43}/g, "$1[redacted]"],
  [/\b(sv[kd]|whsec)_[0-9A-Za-z+/=]{8,}/g, "$1_[redacted]"],
  [/(:\/\/[^:/@\s"]+):[^@/\s"]+@/g, "$1:[redacted]@"],
  [/\b(signature|token|secret|password)=[^&\s"\\]+/gi, "$1=[redacted]"],
];

/** Redacts keys, tokens, signatures and passwords inside free text, such as an error's message or a URL. */
export function scrubSecrets(text: string): string {
  return secretTexts.reduce((scrubbed, [pattern, replacement]) => scrubbed.replace(pattern, replacement), text);
}

/** Keeps this process running when its output fails, for example a pipe whose reader has ended or a full disk. */
export const surviveLostOutput = (): unknown =>
  processWide("lost output", () => [process.stdout, process.stderr].map((output) => output.on("error", () => {})));

/** Output buffered for a reader that has stopped reading; lines beyond it are dropped. */
const maxBacklogBytes = 8 * 1024 * 1024;

/**
 * stdout, which buffers what a pipe does not accept yet. pino's default destination flushes synchronously when the
 * process exits, and blocks forever when nobody reads.
 */
const destination = {
  write(line: string): void {
    if (process.stdout.writableLength < maxBacklogBytes) process.stdout.write(line);
  },
};

/** The log of this process: one JSON object per line on stdout, with secrets redacted. */
const rootLog = (): Log =>
  processWide("log", () => {
    surviveLostOutput();
    const options: LoggerOptions = {
      level: env.LOG_LEVEL,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      redact: { paths: redactedPaths, censor: "[redacted]" },
      // Every line that is written for a request names it, as its response does in `X-Request-Id`.
      mixin: () => {
        const scope = currentScope();
        return scope ? { request_id: scope.requestId } : {};
      },
      hooks: { streamWrite: scrubSecrets },
    };
    return pino(options, destination);
  });

/**
 * A log whose lines carry `part`, the component that writes them (`rest`, `database`, `channels`), and the `bindings`.
 * The environment is not read before the first line is written. `fixed`: each line has the same members, none of which
 * has the name of a secret; looking for those is most of the cost of a line. Texts are scrubbed nevertheless.
 */
export function logFor(part: string, bindings: Record<string, unknown> = {}, { fixed = false } = {}): Log {
  let child: Log | undefined;
  return new Proxy(Object.create(null) as Log, {
    get(_target, name) {
      child ??= rootLog().child({ part, ...bindings }, fixed ? { redact: [] } : {});
      const value: unknown = Reflect.get(child, name);
      return typeof value === "function" ? value.bind(child) : value;
    },
  });
}
