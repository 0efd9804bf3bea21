import v8 from "node:v8";
import { handlers as allHandlers } from "@/server/composition/job-handlers";
import { startMonitoring } from "@/server/composition/monitoring";
import { agentOutbox, agentPushes } from "@/server/features/agents/push-service";
import { channelMessages, channelOutbox } from "@/server/features/channels/delivery-service";
import { observeParts } from "@/server/features/health/parts-service";
import { observeRollups } from "@/server/features/health/rollup-service";
import { observeRetention } from "@/server/features/retention/outcome-service";
import { observeBacklog } from "@/server/features/signals/queue-service";
import { webhookDeliveries, webhookOutbox } from "@/server/features/webhooks/delivery-service";
import { allowLongStatements, closeDatabase } from "@/server/platform/db";
import type { JobHandler } from "@/server/platform/jobs/handler";
import { observeQueue } from "@/server/platform/jobs/queue-metrics";
import { startWorker } from "@/server/platform/jobs/worker";
import { observeTables } from "@/server/platform/observability/table-metrics";
import { observePending } from "@/server/platform/outbox/pending-metrics";
import { startClock } from "@/server/platform/process/clock-check";
import { onStop } from "@/server/platform/process/stopping";
import type { WatchdogLimits } from "@/server/platform/process/watchdog";
import { protectFiles } from "@/server/platform/storage/own";
import { stopTracing } from "@/server/platform/tracing";

const outboxes = [channelOutbox, webhookOutbox, agentOutbox];

/** What a worker does, and when it is ended because its main thread does not answer. */
interface WorkerOptions {
  handlers?: readonly JobHandler[];
  limits?: WatchdogLimits;
}

/**
 * Runs jobs in this process until it is stopped; running jobs then finish, or are released for another worker. Rejects
 * when it has stopped taking jobs.
 */
export async function runWorker({ handlers = allHandlers, limits }: WorkerOptions = {}): Promise<void> {
  process.title = "muster worker";
  // Here, because NODE_OPTIONS does not take it: old objects are collected once they have grown by half, not several times.
  v8.setFlagsFromString("--heap-growing-percent=50");
  await protectFiles();
  allowLongStatements();
  await startClock();
  observeQueue();
  observeParts();
  observeRollups();
  observeTables();
  observeRetention();
  observeBacklog();
  observePending([channelMessages, webhookDeliveries, agentPushes]);
  const monitoring = startMonitoring("worker", limits);
  const starting = startWorker(handlers);
  // Before it has started, because a signal without a handler would end the process at once.
  onStop(async () => {
    await (await starting).stop();
    await Promise.all(outboxes.map((outbox) => outbox().close()));
    (await monitoring).stop();
    await stopTracing();
    await closeDatabase();
  }, 20_000);
  const [worker, { port }] = await Promise.all([starting, monitoring]);
  process.send?.({ ready: true, metricsPort: port });
  await worker.failed;
}
