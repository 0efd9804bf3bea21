import { randomUUID } from "node:crypto";
import http, { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { errorTable, ServiceError } from "@/server/platform/errors";
import { logFor } from "@/server/platform/log";
import { readiness } from "@/server/platform/process/readiness";
import { isStopping } from "@/server/platform/process/stopping";
import { inScope, RequestScope } from "@/server/platform/request-scope";
import { uploadPath } from "@/server/platform/storage/links";
import { unavailable } from "@/server/platform/unavailable";
import { BoundedRequest, type BodyOutcome } from "@/server/transport/http/bounded-request";
import { answerMetrics, metrics } from "@/server/transport/http/metrics";
import type { Handler } from "@/server/transport/http/pages";
import { answerRefusals } from "@/server/transport/http/refusal-status";
import { httpsRequired, lacksHttps } from "@/server/transport/rest/https";

const log = logFor("web");

/**
 * Times in milliseconds after which a client that sends too slowly is hung up on, with 408 where it can still be told.
 */
export interface HttpTimeouts {
  /** For a request's head. */
  head: number;
  /** For the body of all but uploads. */
  body: number;
  /** Between two pieces of an upload, which as a whole may take hours. */
  uploadSilence: number;
  /** How often connections are looked over for the first two. */
  check: number;
}

const defaultTimeouts: HttpTimeouts = { head: 15_000, body: 60_000, uploadSilence: 120_000, check: 2_000 };
const maxHeaders = 100;

/**
 * Answers before the whole body has arrived. The answer's end waits for that, within limits: a client that sends before
 * it reads would find its connection reset instead of the answer.
 */
async function answerEarly(
  request: BoundedRequest,
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string,
): Promise<void> {
  if (request.tooLarge) response.shouldKeepAlive = false;
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  response.write(body);
  await request.discard();
  response.end();
  if (!request.complete) request.socket.destroySoon();
}

/** What answers the lean paths: a fetch handler, and the largest body that any of its operations takes, in bytes. */
export interface Api {
  app: { fetch: (request: Request, bindings: { incoming: IncomingMessage }) => Response | Promise<Response> };
  maxBodyBytes: number;
}

const leanListener = ({ app }: Api) =>
  getRequestListener(
    async (request, bindings) => {
      // What createWebServer makes, and no other server has this listener.
      const { incoming, outgoing } = bindings as { incoming: BoundedRequest; outgoing: ServerResponse };
      const reply = await app.fetch(request, { incoming });
      if (incoming.complete) return reply;
      await answerEarly(incoming, outgoing, reply.status, Object.fromEntries(reply.headers), await reply.text());
      return RESPONSE_ALREADY_SENT;
    },
    { overrideGlobalObjects: false },
  );

/** Paths that the Hono app answers without Next, which would cost about a millisecond each. */
const leanPaths = /^\/(api\/v1|api\/changes|files)(?:[/?]|$)/;
const restPaths = /^\/api\/v1(?:[/?]|$)/;

/** Paths that machines watch, from inside the network that TLS ends at. */
const probePaths = new Set(["/healthz", "/readyz", "/metrics"]);

function answerJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(body));
}

const refuse = (request: BoundedRequest, response: ServerResponse, status: number, body: object): Promise<void> =>
  answerEarly(
    request,
    response,
    status,
    { "content-type": "application/json", "cache-control": "no-store", connection: "close" },
    JSON.stringify(body),
  );

/** Closes a connection with a bare status, as Node itself does when it meets a malformed request. */
function hangUp(request: IncomingMessage, status: string): void {
  if (request.socket.writable)
    request.socket.write(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  request.socket.destroySoon();
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";

const isUpload = ({ method, url = "" }: IncomingMessage): boolean => method === "PUT" && url.startsWith(uploadPath);

/**
 * Holds a body to its limit, before any handler is called. REST and uploads read it as it arrives and refuse what is
 * too large themselves: by the operation's limit, in REST's order of checks, and by the size in the link.
 */
async function receiveBody(
  request: BoundedRequest,
  url: string,
  maxApiBytes: number,
): Promise<BodyOutcome | "streamed"> {
  if (!hasBody(request)) return "complete";
  const streamed = restPaths.test(url) ? maxApiBytes : isUpload(request) ? Number.POSITIVE_INFINITY : null;
  if (streamed === null) return request.tooLarge ? "too_large" : request.buffer();
  request.maxBodyBytes = streamed;
  return "streamed";
}

function limitBodyTime(request: BoundedRequest, response: ServerResponse, timeouts: HttpTimeouts): void {
  if (!hasBody(request)) return;
  if (isUpload(request)) {
    const { socket } = request;
    const silent = () => hangUp(request, "408 Request Timeout");
    socket.setTimeout(timeouts.uploadSilence, silent);
    // The connection lives on, under Node's own limit for idle ones, and this request's patience must not speak up
    // there.
    response.once("close", () => socket.off("timeout", silent));
    return;
  }
  let awaitedMs = 0;
  const watch = setInterval(() => {
    if (!request.awaitsSender) return;
    awaitedMs += timeouts.check;
    if (awaitedMs < timeouts.body) return;
    clearInterval(watch);
    if (!response.headersSent) hangUp(request, "408 Request Timeout");
  }, timeouts.check);
  request.once("end", () => clearInterval(watch));
  request.once("close", () => clearInterval(watch));
}

async function answerProbe(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    answerJson(response, 405, { detail: `Method "${request.method}" not allowed.` });
  } else if (path === "/healthz") {
    answerJson(response, 200, { status: "ok" });
  } else if (path === "/readyz") {
    const { ready, checks } = await readiness();
    answerJson(response, ready ? 200 : 503, { status: ready ? "ready" : "not ready", checks });
  } else if (!(await answerMetrics(request, response))) {
    answerJson(response, 404, { detail: "Not found." });
  }
}

function observe(kind: string, request: IncomingMessage, response: ServerResponse): void {
  const began = performance.now();
  const { requests } = metrics();
  response.once("close", () => {
    const labels = { kind, method: request.method ?? "", status: String(response.statusCode) };
    requests.observe(labels, (performance.now() - began) / 1_000);
  });
}

/** The listener of the HTTP server: limits, then probes, the lean path, and pages for all the rest. */
function listener(api: Api, pages: Handler, active: Set<ServerResponse>, timeouts: HttpTimeouts) {
  const handlers: Handlers = { lean: leanListener(api), pages, maxApiBytes: api.maxBodyBytes };
  return (request: BoundedRequest, response: ServerResponse): void => {
    const url = request.url ?? "/";
    if (request.rawHeaders.length > 2 * maxHeaders) return hangUp(request, "431 Request Header Fields Too Large");
    if (!url.startsWith("/")) return hangUp(request, "400 Bad Request");
    active.add(response);
    response.once("close", () => active.delete(response));
    if (isStopping()) response.shouldKeepAlive = false;

    observe(leanPaths.test(url) ? "api" : "page", request, response);
    limitBodyTime(request, response, timeouts);
    void respond(request, response, url, handlers);
  };
}

interface Handlers {
  lean: ReturnType<typeof leanListener>;
  pages: Handler;
  maxApiBytes: number;
}

/** Probes have none: they ask the database whether or not requests still may. */
function getRequestScope(response: ServerResponse): RequestScope {
  const scope = new RequestScope();
  response.once("close", () => scope.end());
  return scope;
}

async function respond(
  request: BoundedRequest,
  response: ServerResponse,
  url: string,
  { lean, pages, maxApiBytes }: Handlers,
): Promise<void> {
  const path = url.split("?", 1)[0] ?? "/";
  const isProbe = probePaths.has(path);
  try {
    if (!isProbe && lacksHttps(request.headers["x-forwarded-proto"])) {
      return await refuse(request, response, errorTable.forbidden.status, httpsRequired);
    }
    const body = await receiveBody(request, url, maxApiBytes);
    if (body === "aborted") return;
    if (body === "too_large") {
      return await refuse(request, response, errorTable.too_large.status, { detail: errorTable.too_large.detail });
    }
    if (isProbe) return await answerProbe(path, request, response);
    const scope = getRequestScope(response);
    if (leanPaths.test(url)) return await inScope(scope, () => lean(request, response));
    answerRefusals(response, scope);
    await inScope(scope, () => pages(request, response));
  } catch (error) {
    const refusal = unavailable(error);
    if (!refusal) log.error({ err: error, request_id: randomUUID(), path: url }, "request failed");
    if (response.headersSent) return void response.destroy();
    if (refusal) response.setHeader("retry-after", String(refusal.options.retryAfterSeconds ?? 5));
    answerJson(response, refusal ? 503 : 500, (refusal ?? new ServiceError("internal")).body());
  }
}

/** A server that is not listening yet, and the answers it is working on. */
export interface WebServer {
  server: http.Server;
  active: Set<ServerResponse>;
}

/** The HTTP server of the product; `pages` answers what is neither probe nor API. */
export function createWebServer(api: Api, pages: Handler, timeouts: HttpTimeouts = defaultTimeouts): WebServer {
  const active = new Set<ServerResponse>();
  const options: http.ServerOptions<typeof BoundedRequest> = {
    IncomingMessage: BoundedRequest,
    maxHeaderSize: 16 * 1024,
    headersTimeout: timeouts.head,
    requestTimeout: 0, // uploads take long; other bodies have limitBodyTime
    connectionsCheckingInterval: timeouts.check,
    keepAliveTimeout: 65_000, // above the 60 s of common load balancers, which must be the ones to close
    insecureHTTPParser: false,
  };
  return { server: http.createServer(options, listener(api, pages, active, timeouts)), active };
}
