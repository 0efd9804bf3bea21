import type { IncomingMessage, ServerResponse } from "node:http";
import { Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { pool } from "@/server/platform/db";
import { processWide } from "@/server/platform/process-wide";

/** The metrics of this process. Register further ones with `new Counter({ registers: [metrics().registry] })`. */
export const metrics = () =>
  processWide("metrics", () => {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    const requests = new Histogram({
      name: "muster_http_request_seconds",
      help: "Time from a request's head to the end of its answer",
      labelNames: ["kind", "method", "status"],
      buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
      registers: [registry],
    });
    new Gauge({
      name: "muster_database_connections",
      help: "Connections of this process's pool, by what they do",
      labelNames: ["state"],
      registers: [registry],
      collect() {
        this.set({ state: "open" }, pool.totalCount);
        this.set({ state: "idle" }, pool.idleCount);
        this.set({ state: "awaited" }, pool.waitingCount);
      },
    });
    return { registry, requests };
  });

/** Headers that only proxies add. */
const proxyHeader =
  /^(x-forwarded-.*|x-original-.*|x-envoy-.*|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-connecting-ip|forwarded|via)$/;

const loopback = new Set(["127.0.0.1", "::1", "::ffff:127.0.0.1"]);

/** Sends the metrics to a client on this machine, unless a proxy forwarded the request; then resolves to false. */
export async function sendMetrics(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const proxied = Object.keys(request.headers).some((name) => proxyHeader.test(name));
  if (proxied || !loopback.has(request.socket.remoteAddress ?? "")) return false;
  const { registry } = metrics();
  response.setHeader("content-type", registry.contentType);
  response.end(await registry.metrics());
  return true;
}
