import { handlers } from "@/server/composition/job-handlers";
import { agentOutbox } from "@/server/features/agents/push-service";
import { channelOutbox } from "@/server/features/channels/delivery-service";
import { webhookOutbox } from "@/server/features/webhooks/delivery-service";
import { allowLongStatements, closeDatabase } from "@/server/platform/db";
import { startWorker } from "@/server/platform/jobs/worker";
import { startClock } from "@/server/platform/process/clock-check";
import { onStop } from "@/server/platform/process/stopping";
import { protectFiles } from "@/server/platform/storage/current";

const outboxes = [channelOutbox, webhookOutbox, agentOutbox];

/**
 * Runs jobs in this process until it is stopped; running jobs then finish, or are released for another worker. Rejects
 * when it has stopped taking jobs.
 */
export async function runWorker(): Promise<void> {
  process.title = "muster worker";
  await protectFiles();
  allowLongStatements();
  await startClock();
  const starting = startWorker(handlers);
  // Before it has started, because a signal without a handler would end the process at once.
  onStop(async () => {
    await (await starting).stop();
    await Promise.all(outboxes.map((outbox) => outbox().close()));
    await closeDatabase();
  }, 20_000);
  const worker = await starting;
  process.send?.({ ready: true });
  await worker.failed;
}
