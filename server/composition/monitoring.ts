import { version } from "@/package.json";
import { env } from "@/server/platform/env";
import { logFor } from "@/server/platform/log";
import { describeProcess } from "@/server/platform/metrics";
import { observeBackups } from "@/server/platform/observability/backup-metrics";
import { observeDisk } from "@/server/platform/observability/disk-metrics";
import { observeLoads } from "@/server/platform/observability/organization-load";
import { startTracing } from "@/server/platform/observability/tracing-setup";
import { observeClock } from "@/server/platform/process/clock-check";
import { observeEnds } from "@/server/platform/process/end-metrics";
import { FatalError } from "@/server/platform/process/fatal-error";
import { watchStorage } from "@/server/platform/process/storage-watch";
import { startWatchdog, type WatchdogLimits } from "@/server/platform/process/watchdog";
import { findCommit } from "@/server/platform/version";
import { answerProbe } from "@/server/transport/http/probes";

const log = logFor("monitoring");

/** Under one supervisor the worker takes the port after that of web. */
function getPort(role: "web" | "worker"): number | undefined {
  const { METRICS_PORT: port, ROLE } = env;
  return port && role === "worker" && ROLE === "all" ? port + 1 : port;
}

/** `port` is METRICS_PORT as it is used, or null where that is not set. */
interface Monitoring {
  port: number | null;
  stop: () => void;
}

/**
 * Watches this process, which ends when its main thread does not answer; serves its probes and metrics on METRICS_PORT, if
 * that is set, watches the storage for them, and begins to send traces. Throws a FatalError when the port cannot be used.
 */
export async function startMonitoring(role: "web" | "worker", limits?: WatchdogLimits): Promise<Monitoring> {
  describeProcess(version, findCommit(), role);
  observeDisk();
  observeEnds();
  observeClock();
  observeLoads();
  observeBackups();
  const unwatchStorage = watchStorage();
  await startTracing(version, role);
  const port = getPort(role);
  const host = env.METRICS_HOST ?? env.HOST;
  const listen = port === undefined ? null : { port, host };
  const watchdog = await startWatchdog({ role, listen, answer: answerProbe, limits }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FatalError(`Metrics cannot be served on ${host}:${port}: ${reason}. Set METRICS_PORT or METRICS_HOST.`);
  });
  if (watchdog.port !== null) log.info({ port: watchdog.port, host, role }, "metrics are served");
  return {
    port: watchdog.port,
    stop: () => {
      unwatchStorage();
      watchdog.stop();
    },
  };
}
