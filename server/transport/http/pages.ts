import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { env } from "@/server/platform/env";
import { decodePath } from "@/server/transport/http/entries";
import { clientAddress } from "@/server/transport/rest/authenticate";

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * The hashes of the one style sheet that a library (sonner) inserts without a nonce: first empty, then with its text. A
 * test compares them.
 */
const toastStyles =
  "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-StEaX+se6YS7pqjzrzMIA0KaX9zF/8zAhvQXZAe5epY='";

/** The origins that maps load their style, tiles and texts from; none unless the operator names some. */
export function listMapOrigins(): string[] {
  const { MAP_STYLE_URL: style, MAP_ORIGINS: others } = env;
  return style === undefined ? [] : [...new Set([new URL(style).origin, ...others])];
}

/**
 * The policy of pages. Scripts and style sheets need the nonce of their request; 'strict-dynamic' lets those scripts
 * load further ones. Style attributes are permitted because charts and virtual lists position elements by them, in the
 * HTML of the server too, where neither nonces nor hashes apply to attributes. Only maps load anything from elsewhere.
 */
export function contentSecurityPolicy(nonce: string, mapOrigins: readonly string[] = []): string {
  const own = (directive: string) => [directive, ...mapOrigins].join(" ");
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}' ${toastStyles}`,
    "style-src-attr 'unsafe-inline'",
    own("img-src 'self' data: blob:"),
    "media-src 'self' blob:",
    "font-src 'self'",
    own("connect-src 'self'"),
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

/** The page of a link for people without an account: its address is a secret, and what it shows is not kept. */
const sharedPath = "/share/";
const sharedHeaders: [string, string][] = [
  ["referrer-policy", "no-referrer"],
  ["x-robots-tag", "noindex, nofollow, noarchive"],
  ["cache-control", "private, no-store"],
];

/** The headers of a page beside its policy, by its path and query. */
export const listPageHeaders = (url: string): [string, string][] =>
  decodePath(url).startsWith(sharedPath) ? [...fixedHeaders, ...sharedHeaders] : fixedHeaders;

const forwarded = [
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "forwarded",
  "x-real-ip",
];

/**
 * Deletes headers that Next and next-auth trust: Next's internal one and, without a trusted proxy, those with the
 * client's address, which Next then takes from the socket.
 */
function dropUntrustedHeaders(request: IncomingMessage): void {
  delete request.headers["x-middleware-subrequest"];
  if (env.TRUSTED_PROXY_HOPS > 0) return;
  for (const name of forwarded) delete request.headers[name];
}

/** Starts Next in this process and returns its request handler, which also sets security headers and the nonce. */
export async function nextHandler(): Promise<Handler> {
  const { default: next } = await import("next");
  // Next listens for upgrades on the server of its first request, so that these, API calls included, would bypass our
  // listener. With a separate server that never listens, our listener handles them like other requests.
  const httpServer = createServer();
  const web = next({ dev: false, dir: process.cwd(), hostname: env.HOST, port: env.PORT, httpServer });
  await web.prepare();
  const handle = web.getRequestHandler();
  const mapOrigins = listMapOrigins();

  return async (request, response) => {
    dropUntrustedHeaders(request);
    const nonce = randomBytes(16).toString("base64");
    const policy = contentSecurityPolicy(nonce, mapOrigins);
    request.headers["content-security-policy"] = policy; // Next reads the nonce of its own scripts from it
    request.headers["x-nonce"] = nonce;
    // Overwrites headers of the client: the address for rate limits, and the page to return to after signing in.
    request.headers["x-muster-client"] =
      clientAddress(
        new Headers({ "x-forwarded-for": String(request.headers["x-forwarded-for"] ?? "") }),
        request.socket.remoteAddress ?? null,
      ) ?? "unknown";
    request.headers["x-muster-path"] = request.url ?? "/";
    response.setHeader("content-security-policy", policy);
    for (const [name, value] of listPageHeaders(request.url ?? "/")) response.setHeader(name, value);
    await handle(request, response);
  };
}
