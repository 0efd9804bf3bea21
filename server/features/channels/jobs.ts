import { outbox } from "@/server/features/channels/outbox";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

// The messages' own rows say what is due; both jobs only wake the outbox, and neither waits for receivers.

export const sendNotification = handle(jobs.sendNotification, () => outbox().wake());

export const wakeNotifications = handle(jobs.wakeNotifications, () => outbox().wake());
