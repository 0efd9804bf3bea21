import { webhookOutbox } from "@/server/features/webhooks/delivery-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

// The deliveries' rows define what is due; the job only wakes the outbox and does not wait for receivers.
export const wakeWebhooks = handle(jobs.wakeWebhooks, () => webhookOutbox().wake());
