import { randomUUID } from "node:crypto";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { logFor } from "@/server/log";
import { answerMetrics, metrics } from "@/server/process/metrics";
import type { Handler } from "@/server/process/pages";
import { readiness } from "@/server/process/readiness";
import { isStopping } from "@/server/process/stopping";
import { app } from "@/server/rest/app";

const log = logFor("web");

/** Times in milliseconds after which a client that sends too slowly is hung up on, with 408 where it can still be told. */
export interface Patience {
  /** For a request's head. */
  head: number;
  /** For the body of all but uploads. */
  body: number;
  /** Between two pieces of an upload, which as a whole may take hours. */
  uploadSilence: number;
  /** How often connections are looked over for the first. */
  check: number;
}

const patienceByDefault: Patience = { head: 15_000, body: 60_000, uploadSilence: 120_000, check: 2_000 };
const maxHeaders = 100;

const lean = getRequestListener((request, bindings) => app.fetch(request, bindings), { overrideGlobalObjects: false });

/** Paths that the Hono app answers without Next, which would cost about a millisecond each. */
const leanPaths = /^\/(api\/v1|api\/changes|files)(?:[/?]|$)/;

function answerJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(body));
}

/** Closes a connection with a bare status, as Node itself does when it meets a malformed request. */
function hangUp(request: IncomingMessage, status: string): void {
  if (request.socket.writable) request.socket.write(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  request.socket.destroySoon();
}

function limitBodyTime(request: IncomingMessage, response: ServerResponse, upload: boolean, patience: Patience): void {
  const { headers } = request;
  if (headers["transfer-encoding"] === undefined && (headers["content-length"] ?? "0") === "0") return;
  if (upload) {
    const { socket } = request;
    const silent = () => hangUp(request, "408 Request Timeout");
    socket.setTimeout(patience.uploadSilence, silent);
    // The connection lives on, under Node's own limit for idle ones, and this request's patience must not speak up there.
    response.once("close", () => socket.off("timeout", silent));
    return;
  }
  const timer = setTimeout(() => {
    if (!response.headersSent) hangUp(request, "408 Request Timeout");
  }, patience.body);
  request.once("end", () => clearTimeout(timer));
  request.once("close", () => clearTimeout(timer));
}

/** The paths that machines watch. Resolves to false when the path is none of them. */
async function answerProbe(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  if (path !== "/healthz" && path !== "/readyz" && path !== "/metrics") return false;
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
  return true;
}

function observe(kind: string, request: IncomingMessage, response: ServerResponse): void {
  const began = performance.now();
  const { requests } = metrics();
  response.once("close", () => {
    const labels = { kind, method: request.method ?? "", status: String(response.statusCode) };
    requests.observe(labels, (performance.now() - began) / 1_000);
  });
}

/** Tells the listener of the HTTP server from its parts: probes, the lean path, and pages for all the rest. */
function listener(pages: Handler, active: Set<ServerResponse>, patience: Patience) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const url = request.url ?? "/";
    if (request.rawHeaders.length > 2 * maxHeaders) return hangUp(request, "431 Request Header Fields Too Large");
    if (!url.startsWith("/")) return hangUp(request, "400 Bad Request");
    active.add(response);
    response.once("close", () => active.delete(response));
    if (isStopping()) response.shouldKeepAlive = false;

    const isLean = leanPaths.test(url);
    observe(isLean ? "api" : "page", request, response);
    limitBodyTime(request, response, url.startsWith("/files"), patience);
    if (isLean) {
      void lean(request, response);
      return;
    }
    void answerElse(url, pages, request, response);
  };
}

async function answerElse(url: string, pages: Handler, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const path = url.split("?", 1)[0] ?? "/";
    if (!(await answerProbe(path, request, response))) await pages(request, response);
  } catch (error) {
    const requestId = randomUUID();
    log.error({ err: error, request_id: requestId, path: url }, "request failed");
    if (!response.headersSent) answerJson(response, 500, { detail: "A server error occurred." });
    else response.destroy();
  }
}

/** A server that is not listening yet, and the answers it is working on. */
export interface WebServer {
  server: http.Server;
  active: Set<ServerResponse>;
}

/** The HTTP server of the product; `pages` answers what is neither probe nor API. */
export function createWebServer(pages: Handler, patience: Patience = patienceByDefault): WebServer {
  const active = new Set<ServerResponse>();
  const options: http.ServerOptions = {
    maxHeaderSize: 16 * 1024,
    headersTimeout: patience.head,
    requestTimeout: 0, // uploads take long; other bodies have limitBodyTime
    connectionsCheckingInterval: patience.check,
    keepAliveTimeout: 65_000, // above the 60 s of common load balancers, which must be the ones to close
    insecureHTTPParser: false,
  };
  return { server: http.createServer(options, listener(pages, active, patience)), active };
}
