import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { sha256 } from "@/server/platform/crypto";
import { env } from "@/server/platform/env";

/** Headers that only proxies add. */
const proxyHeader =
  /^(x-forwarded-.*|x-original-.*|x-envoy-.*|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-connecting-ip|forwarded|via)$/;

const loopback = new Set(["127.0.0.1", "::1", "::ffff:127.0.0.1"]);

/** Whether the client is on this machine and no proxy forwarded its request. */
function isLocal({ headers, socket }: IncomingMessage): boolean {
  const proxied = Object.keys(headers).some((name) => proxyHeader.test(name));
  return !proxied && loopback.has(socket.remoteAddress ?? "");
}

function hasToken(authorization: string | undefined): boolean {
  const given = /^Bearer\s+(\S+)$/i.exec(authorization ?? "")?.[1];
  if (given === undefined || env.METRICS_TOKEN === undefined) return false;
  return timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(env.METRICS_TOKEN)));
}

/** Whether a client may read the metrics on the main port: it is on this machine, or has METRICS_TOKEN. */
export const mayReadMetrics = (request: IncomingMessage): boolean =>
  isLocal(request) || hasToken(request.headers.authorization);

/** Whether a client may read them on METRICS_PORT, where METRICS_TOKEN is needed only if it is set. */
export const mayReadOnMetricsPort = (authorization: string | undefined): boolean =>
  env.METRICS_TOKEN === undefined || hasToken(authorization);
