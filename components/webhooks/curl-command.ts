import type { DeliveryView } from "./query";

/** A text in single quotes, as a shell reads it. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const named = /^(content-type|webhook-|x-service-)/i;

/** The command that sends a delivery's last request again, with its signature. */
export function buildCurl(
  url: string,
  { body, attempt_log: attempts }: Pick<DeliveryView, "body" | "attempt_log">,
): string {
  const headers = Object.entries(attempts.at(-1)?.request_headers ?? { "content-type": "application/json" });
  return [
    `curl -X POST ${quote(url)}`,
    ...headers.filter(([name]) => named.test(name)).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    `--data-binary ${quote(body)}`,
  ].join(" \\\n  ");
}
