import { channelMessages, channelOutbox } from "@/server/features/channels/delivery-service";
import { releaseHeld } from "@/server/features/channels/queue-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";
import { anyDue } from "@/server/platform/outbox/queries";

// What is due is in the rows of the messages; both jobs only wake the outbox and do not wait for receivers.

export const sendNotification = handle(jobs.sendNotification, () => channelOutbox().wake());

export const releaseNotifications = handle(jobs.releaseNotifications, releaseHeld);

export const wakeNotifications = handle(jobs.wakeNotifications, () => channelOutbox().wake(), anyDue(channelMessages));
