import { jobs } from "@/server/jobs/definitions";
import { handle } from "@/server/jobs/handler";
import "@/server/webhooks/emit";
import { webhookOutbox } from "@/server/webhooks/outbox";

// The deliveries' own rows say what is due; the job only wakes the outbox, and does not wait for receivers.
export const wakeWebhooks = handle(jobs.wakeWebhooks, () => webhookOutbox().wake());
