import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { sha256 } from "@/server/platform/crypto";
import { env } from "@/server/platform/env";
import { readMetrics } from "@/server/platform/metrics";

/** Headers that only proxies add. */
const proxyHeader =
  /^(x-forwarded-.*|x-original-.*|x-envoy-.*|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-connecting-ip|forwarded|via)$/;

const loopback = new Set(["127.0.0.1", "::1", "::ffff:127.0.0.1"]);

/** Whether the client is on this machine and no proxy forwarded its request. */
function isLocal({ headers, socket }: IncomingMessage): boolean {
  const proxied = Object.keys(headers).some((name) => proxyHeader.test(name));
  return !proxied && loopback.has(socket.remoteAddress ?? "");
}

function hasToken({ headers }: IncomingMessage): boolean {
  const given = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  if (given === undefined || env.METRICS_TOKEN === undefined) return false;
  return timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(env.METRICS_TOKEN)));
}

/** Who may read the metrics without METRICS_TOKEN: `local` for clients on this machine, `all` on METRICS_PORT. */
export type MetricsReaders = "local" | "all";

/** Sends the metrics to a client that may read them; resolves to false for others. METRICS_TOKEN always suffices. */
export async function sendMetrics(
  request: IncomingMessage,
  response: ServerResponse,
  readers: MetricsReaders,
): Promise<boolean> {
  const isOpen = readers === "all" ? env.METRICS_TOKEN === undefined : isLocal(request);
  if (!isOpen && !hasToken(request)) return false;
  const { contentType, text } = await readMetrics();
  response.setHeader("content-type", contentType);
  response.end(text);
  return true;
}
