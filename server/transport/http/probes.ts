import type { IncomingMessage, ServerResponse } from "node:http";
import { readMetrics } from "@/server/platform/metrics";
import { readiness } from "@/server/platform/process/readiness";
import type { Probe, ProbeAnswer } from "@/server/platform/process/watchdog";
import { mayReadMetrics, mayReadOnMetricsPort } from "@/server/transport/http/metrics";

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(body));
}

const json = (status: number, body: object, headers: Record<string, string> = {}): ProbeAnswer => ({
  status,
  headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
  body: JSON.stringify(body),
});

/** Answers /healthz, /readyz and /metrics, the last only to those who may read them; everything else with 404. */
async function answer({ method, path }: Pick<Probe, "method" | "path">, readsMetrics: boolean): Promise<ProbeAnswer> {
  if (method !== "GET" && method !== "HEAD")
    return json(405, { detail: `Method "${method}" not allowed.` }, { allow: "GET, HEAD" });
  if (path === "/healthz") return json(200, { status: "ok" });
  if (path === "/readyz") {
    const { ready, checks, zstd, warnings } = await readiness();
    const body = { status: ready ? "ready" : "not ready", checks, zstd, ...warnings };
    return json(ready ? 200 : 503, body, ready ? {} : { "retry-after": "1" });
  }
  if (path !== "/metrics" || !readsMetrics) return json(404, { detail: "Not found." });
  const { contentType, text } = await readMetrics();
  return { status: 200, headers: { "content-type": contentType }, body: text };
}

/** Responds to a probe on the main port, which has the metrics for callers on this machine and for the token. */
export async function respondToProbe(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, headers, body } = await answer({ method: request.method ?? "", path }, mayReadMetrics(request));
  response.writeHead(status, headers);
  response.end(body);
}

/** Answers a probe on METRICS_PORT, which serves nothing else. */
export const answerProbe = (probe: Probe): Promise<ProbeAnswer> =>
  answer(probe, mayReadOnMetricsPort(probe.authorization));
