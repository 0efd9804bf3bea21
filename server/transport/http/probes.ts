import http, { type IncomingMessage, type ServerResponse } from "node:http";
import { logFor } from "@/server/platform/log";
import { readiness } from "@/server/platform/process/readiness";
import { sendMetrics, type MetricsReaders } from "@/server/transport/http/metrics";

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(body));
}

/** Responds to /healthz, /readyz and /metrics; to everything else with 404. */
export async function respondToProbe(
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  readers: MetricsReaders,
): Promise<void> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    sendJson(response, 405, { detail: `Method "${request.method}" not allowed.` });
  } else if (path === "/healthz") {
    sendJson(response, 200, { status: "ok" });
  } else if (path === "/readyz") {
    const { ready, checks, zstd, warnings } = await readiness();
    if (!ready) response.setHeader("retry-after", "1");
    sendJson(response, ready ? 200 : 503, { status: ready ? "ready" : "not ready", checks, zstd, ...warnings });
  } else if (path !== "/metrics" || !(await sendMetrics(request, response, readers))) {
    sendJson(response, 404, { detail: "Not found." });
  }
}

const log = logFor("monitoring");

/** Creates the server of METRICS_PORT, which serves nothing but the probes and the metrics. */
export function createProbeServer(): http.Server {
  const options = { maxHeaderSize: 8 * 1024, headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 65_000 };
  return http.createServer(options, (request, response) => {
    request.resume();
    response.setHeader("x-content-type-options", "nosniff");
    const path = (request.url ?? "/").split("?", 1)[0]?.replace(/(.)\/$/, "$1") ?? "/";
    respondToProbe(path, request, response, "all").catch((error: unknown) => {
      log.error({ err: error, path }, "request failed");
      response.destroy();
    });
  });
}
