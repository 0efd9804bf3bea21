import { webhookDeliveries, webhookOutbox } from "@/server/features/webhooks/delivery-service";
import { anyReplay, releaseReplays } from "@/server/features/webhooks/release-service";
import { deleteExpired } from "@/server/platform/expired-rows";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";
import { anyDue, holdsAny } from "@/server/platform/outbox/queries";

// The deliveries' rows define what is due; the job only wakes the outbox and does not wait for receivers.
export const wakeWebhooks = handle(
  jobs.wakeWebhooks,
  async () => {
    await releaseReplays();
    await webhookOutbox().wake();
  },
  holdsAny(anyReplay, anyDue(webhookDeliveries)),
);

export const cleanWebhooks = handle(jobs.cleanWebhooks, async (_payload, { log }) => {
  log.info({ hours: await deleteExpired("webhook_hours") }, "deleted old counts of webhooks");
});
