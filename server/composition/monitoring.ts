import { once } from "node:events";
import { version } from "@/package.json";
import { observeDisk } from "@/server/platform/disk-metrics";
import { env } from "@/server/platform/env";
import { logFor } from "@/server/platform/log";
import { describeProcess } from "@/server/platform/metrics";
import { FatalError } from "@/server/platform/process/fatal-error";
import { watchStorage } from "@/server/platform/process/storage-watch";
import { startTracing } from "@/server/platform/tracing-setup";
import { createProbeServer } from "@/server/transport/http/probes";

const log = logFor("monitoring");

/** Under one supervisor the worker takes the port after that of web. */
function getPort(role: "web" | "worker"): number | undefined {
  const { METRICS_PORT: port, ROLE } = env;
  return port && role === "worker" && ROLE === "all" ? port + 1 : port;
}

/** The server of METRICS_PORT; `port` is null where that is not set. */
interface Monitoring {
  port: number | null;
  stop: () => void;
}

/**
 * Serves the probes and metrics of this process on METRICS_PORT, if that is set, watches the storage for them, and begins
 * to send traces. Throws a FatalError when the port cannot be used.
 */
export async function startMonitoring(role: "web" | "worker"): Promise<Monitoring> {
  describeProcess(version, role);
  observeDisk();
  const unwatchStorage = watchStorage();
  await startTracing(version, role);
  const port = getPort(role);
  if (port === undefined) return { port: null, stop: unwatchStorage };
  const server = createProbeServer();
  const host = env.METRICS_HOST ?? env.HOST;
  server.listen(port, host);
  await once(server, "listening").catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FatalError(`Metrics cannot be served on ${host}:${port}: ${reason}. Set METRICS_PORT or METRICS_HOST.`);
  });
  const address = server.address();
  log.info({ address, role }, "metrics are served");
  return {
    port: typeof address === "object" && address ? address.port : port,
    stop: () => {
      unwatchStorage();
      server.close();
      server.closeAllConnections();
    },
  };
}
