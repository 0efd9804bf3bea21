import { channelOutbox } from "@/server/features/channels/delivery-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

// The messages' own rows say what is due; both jobs only wake the outbox, and neither waits for receivers.

export const sendNotification = handle(jobs.sendNotification, () => channelOutbox().wake());

export const wakeNotifications = handle(jobs.wakeNotifications, () => channelOutbox().wake());
