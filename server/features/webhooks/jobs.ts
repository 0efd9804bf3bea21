import { webhookOutbox } from "@/server/features/webhooks/delivery-service";
import { releaseReplays } from "@/server/features/webhooks/release-service";
import { deleteExpired } from "@/server/platform/expired-rows";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

// The deliveries' rows define what is due; the job only wakes the outbox and does not wait for receivers.
export const wakeWebhooks = handle(jobs.wakeWebhooks, async () => {
  await releaseReplays();
  await webhookOutbox().wake();
});

export const cleanWebhooks = handle(jobs.cleanWebhooks, async (_payload, { log }) => {
  log.info({ hours: await deleteExpired("webhook_hours") }, "deleted old counts of webhooks");
});
