import { agentOutbox } from "@/server/agents/outbox";
import { outbox } from "@/server/channels/outbox";
import { closeDatabase } from "@/server/db";
import { startWorker } from "@/server/jobs/worker";
import { onStop } from "@/server/process/stopping";
import { protectFiles } from "@/server/storage/current";
import { webhookOutbox } from "@/server/webhooks/outbox";

/**
 * Runs jobs in this process until it is told to stop; jobs under way then finish, or are handed back for another
 * worker. Rejects when it can take no more jobs.
 */
export async function runWorker(): Promise<void> {
  process.title = "muster worker";
  await protectFiles();
  const worker = await startWorker();
  process.send?.({ ready: true });
  onStop(async () => {
    await worker.stop();
    await Promise.all([outbox().close(), webhookOutbox().close(), agentOutbox().close()]);
    await closeDatabase();
  }, 20_000);
  await worker.failed;
}
