import { randomBytes, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { env } from "@/server/platform/env";
import { clientAddress } from "@/server/transport/rest/authenticate";

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * What a page may load. Scripts need the nonce of their request; 'strict-dynamic' lets those load further ones. Styles
 * are inline because charts and virtual lists place things by style attributes.
 */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

const fixedHeaders: [string, string][] = [
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
  ["referrer-policy", "strict-origin-when-cross-origin"],
  ["cross-origin-opener-policy", "same-origin"],
  ["permissions-policy", "camera=(), geolocation=(), microphone=()"],
];

const forwarded = [
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "forwarded",
  "x-real-ip",
];

/**
 * Headers by which Next and next-auth would believe a client: who it is, and the ones Next uses among its own parts.
 * Without a trusted proxy the former can only be forged, so that Next then fills in the socket's address.
 */
function dropForged(request: IncomingMessage): void {
  delete request.headers["x-middleware-subrequest"];
  if (env.TRUSTED_PROXY_HOPS > 0) return;
  for (const name of forwarded) delete request.headers[name];
}

/** Starts Next in this process and returns what answers a request by it, security headers and nonce included. */
export async function nextHandler(): Promise<Handler> {
  const { default: next } = await import("next");
  // Next listens for upgrades on the server of its first request, and those would then pass by our listener, API calls
  // included. With a server of its own, which never listens, they are requests like any other.
  const httpServer = createServer();
  const web = next({ dev: false, dir: process.cwd(), hostname: env.HOST, port: env.PORT, httpServer });
  await web.prepare();
  const handle = web.getRequestHandler();
  const https = env.PUBLIC_URL.startsWith("https:");

  return async (request, response) => {
    dropForged(request);
    const nonce = randomBytes(16).toString("base64");
    const policy = contentSecurityPolicy(nonce);
    request.headers["content-security-policy"] = policy; // where Next looks for the nonce of its own scripts
    request.headers["x-nonce"] = nonce;
    request.headers["x-request-id"] = randomUUID();
    // Written over whatever a client sent: the address that limits count by, and the page to come back to after signing
    // in.
    request.headers["x-muster-client"] =
      clientAddress(
        new Headers({ "x-forwarded-for": String(request.headers["x-forwarded-for"] ?? "") }),
        request.socket.remoteAddress ?? null,
      ) ?? "unknown";
    request.headers["x-muster-path"] = request.url ?? "/";
    response.setHeader("content-security-policy", policy);
    response.setHeader("x-request-id", request.headers["x-request-id"]);
    for (const [name, value] of fixedHeaders) response.setHeader(name, value);
    if (https) response.setHeader("strict-transport-security", "max-age=31536000");
    await handle(request, response);
  };
}
