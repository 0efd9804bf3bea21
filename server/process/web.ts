import { randomUUID } from "node:crypto";
import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { closeDatabase } from "@/server/db";
import { env, informNext, localUrl } from "@/server/env";
import { logFor } from "@/server/log";
import { answerMetrics, metrics } from "@/server/process/metrics";
import { Hopeless } from "@/server/process/hopeless";
import { type Handler, nextHandler } from "@/server/process/pages";
import { readiness } from "@/server/process/readiness";
import { isStopping, onStop } from "@/server/process/stopping";
import { app } from "@/server/rest/app";

const log = logFor("web");

/** A request's head must be here within this time, and so must the body of all but uploads; else the answer is 408. */
const headMs = 15_000;
const bodyMs = 60_000;
/** An upload may take hours, as long as something arrives. */
const uploadSilenceMs = 120_000;
const maxHeaders = 100;
/** How long requests are still accepted after SIGTERM, so that a load balancer sees /readyz fail and sends no more. */
const drainMs = 1_000;
const inFlightMs = 15_000;

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

function limitBodyTime(request: IncomingMessage, response: ServerResponse, upload: boolean): void {
  const { headers } = request;
  if (headers["transfer-encoding"] === undefined && (headers["content-length"] ?? "0") === "0") return;
  if (upload) {
    request.socket.setTimeout(uploadSilenceMs, () => hangUp(request, "408 Request Timeout"));
    response.once("close", () => request.socket.setTimeout(0));
    return;
  }
  const timer = setTimeout(() => {
    if (!response.headersSent) hangUp(request, "408 Request Timeout");
  }, bodyMs);
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
function listener(pages: Handler, active: Set<ServerResponse>) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const url = request.url ?? "/";
    if (request.rawHeaders.length > 2 * maxHeaders) return hangUp(request, "431 Request Header Fields Too Large");
    if (!url.startsWith("/")) return hangUp(request, "400 Bad Request");
    active.add(response);
    response.once("close", () => active.delete(response));
    if (isStopping()) response.shouldKeepAlive = false;

    const isLean = leanPaths.test(url);
    observe(isLean ? "api" : "page", request, response);
    limitBodyTime(request, response, url.startsWith("/files"));
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

function createServer(handle: (request: IncomingMessage, response: ServerResponse) => void): http.Server {
  return http.createServer(
    {
      maxHeaderSize: 16 * 1024,
      headersTimeout: headMs,
      requestTimeout: 0, // uploads take long; other bodies have limitBodyTime
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: 65_000, // above the 60 s of common load balancers, which must be the ones to close
      insecureHTTPParser: false,
    },
    handle,
  );
}

/** Listens, waiting a little for a predecessor that is on its way out to free the port. Resolves to the port. */
async function listen(server: http.Server): Promise<number> {
  for (let attempt = 0; ; attempt++) {
    try {
      server.listen(env.PORT, env.HOST);
      await once(server, "listening");
      const address = server.address();
      return typeof address === "object" && address ? address.port : env.PORT;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      const where = `${env.HOST}:${env.PORT}`;
      if (code === "EADDRINUSE" && attempt < 20) await sleep(250);
      else if (code === "EADDRINUSE") throw new Hopeless(`Another program listens on ${where}. Stop it, or set PORT.`);
      else if (code === "EACCES") throw new Hopeless(`This user may not listen on ${where}. Set PORT to one above 1023.`);
      else if (code === "EADDRNOTAVAIL") throw new Hopeless(`This machine has no address ${env.HOST}. Set HOST.`);
      else throw error;
    }
  }
}

async function close(server: http.Server, active: Set<ServerResponse>, orphaned: boolean): Promise<void> {
  if (!orphaned) await sleep(drainMs);
  for (const response of active) {
    // Streams end on stoppingSignal; one that does not would hold the process until the limit.
    if (response.req.headers.accept?.includes("text/event-stream")) response.destroy();
    else response.shouldKeepAlive = false;
  }
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  await Promise.race([closed, sleep(orphaned ? 1_000 : inFlightMs, undefined, { ref: false })]);
  clearInterval(idle);
  server.closeAllConnections();
}

/**
 * Serves pages, API and files in this process until it is told to stop; /readyz then fails at once, requests under way finish.
 * Throws a Hopeless when it cannot listen.
 */
export async function runWeb(): Promise<void> {
  process.title = "muster web";
  informNext();
  const active = new Set<ServerResponse>();
  let server: http.Server | undefined;
  onStop(async (orphaned) => {
    if (server) await close(server, active, orphaned);
    await closeDatabase();
  }, 20_000);
  const pages = await nextHandler();
  server = createServer(listener(pages, active));
  const port = await listen(server);
  log.info({ address: localUrl(port) }, "web server listens");
  process.send?.({ ready: true, port });
}
