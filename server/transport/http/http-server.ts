import http, { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { env } from "@/server/platform/env";
import { errorTable, ServiceError } from "@/server/platform/errors";
import { logFor } from "@/server/platform/log";
import { isStopping } from "@/server/platform/process/stopping";
import { chooseRequestId, currentScope, inScope, RequestScope } from "@/server/platform/request-scope";
import { inSpan } from "@/server/platform/tracing";
import { unavailable } from "@/server/platform/unavailable";
import { observeRequest } from "@/server/transport/http/access-line";
import { BoundedRequest, type BodyOutcome } from "@/server/transport/http/bounded-request";
import { findEntry, type Entry } from "@/server/transport/http/entries";
import { refuseBody, refuseHead, refuseMediaType } from "@/server/transport/http/guard";
import { refusalHeaders } from "@/server/transport/http/mount";
import type { Handler } from "@/server/transport/http/pages";
import { respondToProbe, sendJson } from "@/server/transport/http/probes";
import type { HeaderReader } from "@/server/transport/rest/authenticate";
import { JsonResponse } from "@/server/transport/rest/json-response";

const log = logFor("web");

/** Timeouts in milliseconds for slow clients, whose connection is closed, with 408 unless a response has begun. */
export interface HttpTimeouts {
  /** For a request's head. */
  head: number;
  /** For a body, except of uploads. */
  body: number;
  /** Between two pieces of an upload, which may take hours in total. */
  uploadSilence: number;
  /** Interval at which the first two are checked. */
  check: number;
}

const defaultTimeouts: HttpTimeouts = { head: 15_000, body: 60_000, uploadSilence: 120_000, check: 2_000 };
const maxHeaders = 100;

/**
 * Responds before the complete body was received. The end of the response waits for that, within limits: otherwise a
 * client that sends everything before it reads would get a connection reset instead of the response.
 */
async function respondEarly(
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

/** The fetch handler of the lean paths, and the largest body in bytes that any of its operations accepts. */
export interface Api {
  app: { fetch: (request: Request, bindings: { incoming: IncomingMessage }) => Response | Promise<Response> };
  maxBodyBytes: number;
}

const leanListener = ({ app }: Api) =>
  getRequestListener(
    async (request, bindings) => {
      // Only createWebServer uses this listener.
      const { incoming, outgoing } = bindings as { incoming: BoundedRequest; outgoing: ServerResponse };
      const reply = await app.fetch(request, { incoming });
      const isJson = reply instanceof JsonResponse;
      if (incoming.complete && !isJson) return reply;
      const text = isJson ? reply.content : await reply.text();
      const given = isJson ? reply.plainHeaders : Object.fromEntries(reply.headers);
      const headers = { ...given, "content-length": Buffer.byteLength(text) };
      if (incoming.complete) outgoing.writeHead(reply.status, headers).end(text);
      else await respondEarly(incoming, outgoing, reply.status, headers, text);
      return RESPONSE_ALREADY_SENT;
    },
    { overrideGlobalObjects: false },
  );

/** Responds with a refusal: JSON, or for a person who opened a page its plain text. */
function refuse(request: BoundedRequest, response: ServerResponse, refusal: ServiceError): Promise<void> {
  const forPerson = request.headers.accept?.includes("text/html") === true;
  const headers = {
    ...refusalHeaders(refusal),
    "content-type": forPerson ? "text/plain; charset=utf-8" : "application/json",
    connection: "close",
  };
  const body = forPerson ? refusal.text() : JSON.stringify(refusal.body());
  return respondEarly(request, response, errorTable[refusal.code].status, headers, body);
}

/** Closes a connection with a bare status, as Node itself does for a malformed request. */
function closeConnection(request: IncomingMessage, status: string): void {
  if (request.socket.writable)
    request.socket.write(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  request.socket.destroySoon();
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";

const isUpload = (entry: Entry): boolean => entry.body === "of link";

/**
 * Enforces the limit of a body before any handler is called. REST and uploads read the body as a stream and enforce
 * their own limit: that of the operation, in REST's order of checks, and the size in the link.
 */
async function receiveBody(
  request: BoundedRequest,
  entry: Entry,
  maxApiBytes: number,
): Promise<BodyOutcome | "streamed"> {
  if (!hasBody(request)) return "complete";
  if (typeof entry.body === "number") {
    request.maxBodyBytes = entry.body;
    return request.tooLarge ? "too_large" : request.buffer();
  }
  request.maxBodyBytes = entry.body === "of operation" ? maxApiBytes : Number.POSITIVE_INFINITY;
  return "streamed";
}

function limitBodyTime(request: BoundedRequest, response: ServerResponse, entry: Entry, timeouts: HttpTimeouts): void {
  if (!hasBody(request)) return;
  if (isUpload(entry)) {
    const { socket } = request;
    const onTimeout = () => closeConnection(request, "408 Request Timeout");
    socket.setTimeout(timeouts.uploadSilence, onTimeout);
    // The connection stays open, with Node's own timeout of idle ones, which must not call this handler.
    response.once("close", () => socket.off("timeout", onTimeout));
    return;
  }
  let awaitedMs = 0;
  const watch = setInterval(() => {
    if (!request.awaitsSender) return;
    awaitedMs += timeouts.check;
    if (awaitedMs < timeouts.body) return;
    clearInterval(watch);
    if (!response.headersSent) closeConnection(request, "408 Request Timeout");
  }, timeouts.check);
  request.once("end", () => clearInterval(watch));
  request.once("close", () => clearInterval(watch));
}

/**
 * The headers of every response. Files are shown by customers' own pages too, by their signed links. Pages have a policy
 * of their own; what else a browser is made to show as a document loads nothing and is in no frame.
 */
function setSecurityHeaders({ credential, handler }: Entry, response: ServerResponse): void {
  response.setHeader("x-content-type-options", "nosniff");
  if (handler !== "pages") response.setHeader("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
  if (credential !== "link") response.setHeader("cross-origin-resource-policy", "same-origin");
  if (env.PUBLIC_URL.startsWith("https:")) {
    response.setHeader("strict-transport-security", "max-age=31536000; includeSubDomains");
  }
}

/** Whether a header occurs more than once, of which each reader might believe another one. */
const repeats = ({ rawHeaders }: IncomingMessage, header: string): boolean =>
  rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === header).length > 1;

/** The listener of the HTTP server: finds the entry, enforces its limits, then calls its handler. */
function listener(api: Api, pages: Handler, active: Set<ServerResponse>, timeouts: HttpTimeouts) {
  const handlers: Handlers = { lean: leanListener(api), pages, maxApiBytes: api.maxBodyBytes };
  return (request: BoundedRequest, response: ServerResponse): void => {
    const url = request.url ?? "/";
    if (request.rawHeaders.length > 2 * maxHeaders)
      return closeConnection(request, "431 Request Header Fields Too Large");
    if (!url.startsWith("/") || repeats(request, "host")) return closeConnection(request, "400 Bad Request");
    active.add(response);
    response.once("close", () => active.delete(response));
    if (isStopping()) response.shouldKeepAlive = false;

    const entry = findEntry(request.method ?? "", getPath(url));
    const scope = createRequestScope(request, response);
    setSecurityHeaders(entry, response);
    const span = observeRequest(entry, scope, request, response);
    limitBodyTime(request, response, entry, timeouts);
    // Probes query the database independently of the limits of requests.
    void inSpan(span, () =>
      inScope(entry.handler === "probe" ? null : scope, () => respond(request, response, entry, handlers)),
    );
  };
}

const getPath = (url: string): string => url.split("?", 1)[0] ?? "/";

interface Handlers {
  lean: ReturnType<typeof leanListener>;
  pages: Handler;
  maxApiBytes: number;
}

/** Creates the scope of a request, and names it to the handlers and in the response by the same id. */
function createRequestScope(request: IncomingMessage, response: ServerResponse): RequestScope {
  const requestId = chooseRequestId(toHeaders(request).get("x-request-id"));
  const scope = new RequestScope(undefined, requestId);
  request.headers["x-request-id"] = requestId;
  response.setHeader("x-request-id", requestId);
  response.once("close", () => scope.end());
  return scope;
}

/** Reads Node's headers as fetch does, without the costly list that fetch makes of them. */
function toHeaders({ headers }: IncomingMessage): HeaderReader {
  const get = (name: string) => (headers[name] === undefined ? null : String(headers[name]));
  return { get, has: (name) => headers[name] !== undefined };
}

/** Resolves to the refusal of a request by its entry's limits, or once its handler may see it. */
async function guard(
  request: BoundedRequest,
  entry: Entry,
  maxApiBytes: number,
): Promise<ServiceError | "aborted" | null> {
  const headers = toHeaders(request);
  const { method = "", url = "/", socket } = request;
  const body = receiveBody(request, entry, maxApiBytes); // which has to begin before any of it is received
  const refused = await refuseHead(entry, { method, url, headers, address: socket.remoteAddress ?? null });
  if (refused) return refused;
  const outcome = await body;
  if (outcome === "aborted") return outcome;
  if (outcome === "too_large") return new ServiceError("too_large");
  if (outcome === "streamed" || !hasBody(request)) return null;
  return refuseMediaType(entry, headers) ?? refuseBody(entry, headers, request.takeBuffered());
}

async function respond(
  request: BoundedRequest,
  response: ServerResponse,
  entry: Entry,
  { lean, pages, maxApiBytes }: Handlers,
): Promise<void> {
  const path = getPath(request.url ?? "/");
  try {
    const refusal = await guard(request, entry, maxApiBytes);
    if (refusal === "aborted") return;
    if (refusal) return await refuse(request, response, refusal);
    if (entry.handler === "probe") return await respondToProbe(path, request, response);
    if (entry.handler === "api") return await lean(request, response);
    correctRefusalStatus(response, currentScope());
    await pages(request, response);
  } catch (error) {
    const refusal = unavailable(error);
    if (!refusal) log.error({ err: error, path }, "request failed");
    if (response.headersSent) return void response.destroy();
    if (refusal) response.setHeader("retry-after", String(refusal.options.retryAfterSeconds ?? 5));
    sendJson(response, refusal ? 503 : 500, (refusal ?? new ServiceError("internal")).body());
  }
}

/** A server that is not listening yet, and the responses in progress. */
export interface WebServer {
  server: http.Server;
  active: Set<ServerResponse>;
}

/** Creates the HTTP server of Muster; `pages` handles requests that are neither for probes nor for the API. */
export function createWebServer(api: Api, pages: Handler, timeouts: HttpTimeouts = defaultTimeouts): WebServer {
  const active = new Set<ServerResponse>();
  const options: http.ServerOptions<typeof BoundedRequest> = {
    IncomingMessage: BoundedRequest,
    maxHeaderSize: 16 * 1024,
    headersTimeout: timeouts.head,
    requestTimeout: 0, // uploads take long; other bodies have limitBodyTime
    connectionsCheckingInterval: timeouts.check,
    keepAliveTimeout: 65_000, // longer than the 60 s of common load balancers, which must close first
    insecureHTTPParser: false,
  };
  return { server: http.createServer(options, listener(api, pages, active, timeouts)), active };
}

/** Changes Next's 500 to 503 for a page that could not be rendered because the database was unavailable. */
function correctRefusalStatus(response: ServerResponse, scope: RequestScope | null): void {
  const writeHead = response.writeHead.bind(response) as (status: number, ...rest: unknown[]) => ServerResponse;
  const corrected = (status: number, ...rest: unknown[]): ServerResponse => {
    const refusal = scope?.refusal;
    if (status !== 500 || !refusal) return writeHead(status, ...rest);
    response.setHeader("retry-after", String(refusal.options.retryAfterSeconds ?? 5));
    return writeHead(503, ...rest);
  };
  response.writeHead = corrected as typeof response.writeHead;
}
