import { type ChannelType, channelTypes } from "@/domain/channels/channel-type";
import type { ChannelConfig } from "@/domain/channels/registry";
import { findMessagePictures } from "@/server/features/captures/message-pictures-service";
import { openConfig } from "@/server/features/channels/config";
import { Message } from "@/server/features/channels/message";
import { sendOver } from "@/server/features/channels/senders";
import { systemContext } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query } from "@/server/platform/db";
import { failure, type Outcome } from "@/server/platform/http-client/post";
import { identifier, type Claim, type OutboxDefinition } from "@/server/platform/outbox/definition";
import { Outbox } from "@/server/platform/outbox/outbox";
import { defaultRetryPolicy } from "@/server/platform/outbox/retry";
import { processWide } from "@/server/platform/process-wide";
import { announceSoon } from "@/server/platform/realtime/changes";
import { jsonb, jsonbObject, type Native, nullable, oneOf, text, type Wire } from "@/server/platform/rows";

const messageRow = { alert_id: nullable(text), payload: jsonb(Message) };
type MessageRow = Wire<typeof messageRow>;

const channelRow = { uid: text, type: oneOf(channelTypes), config: jsonbObject, secrets_sealed: nullable(text) };
type Channel = Native<typeof channelRow>;

/** How the outbox sends messages to channels. */
export const channelMessages: OutboxDefinition<MessageRow, Channel> = {
  name: "channels",
  table: identifier("notifications"),
  target: identifier("channel_id"),
  // A channel receives the messages about an alert in order, never the resolution first.
  sequence: identifier("alert_id"),
  columns: Prisma.sql`r.alert_id, r.payload`,
  row: messageRow,
  received: "delivered",
  assignments: Prisma.sql`status_code = a.status_code, error = a.error`,
  attemptLog: { table: identifier("notification_attempts"), row: identifier("notification_id") },
  retry: defaultRetryPolicy,
  concurrency: { total: 64, initial: 4, max: 8 },
  unsent: "The message could not be sent.",
  loadTargets: loadChannels,
  send,
  afterNoting: async (noted) => {
    for (const { claim } of noted) {
      const ctx = systemContext(prisma, claim.organization_id);
      if (claim.alert_id) announceSoon(ctx, "alert", claim.alert_id, "updated");
      announceSoon(ctx, "channel", claim.target, "updated");
    }
  },
};

async function loadChannels(uids: string[]): Promise<Map<string, Channel>> {
  const rows = await query(
    { db: prisma },
    channelRow,
    Prisma.sql`select uid, type, config, secrets_sealed from channels where uid = any(${uids})`,
  );
  return new Map(rows.map((row) => [row.uid, row]));
}

async function send(claim: Claim<MessageRow>, channel: Channel): Promise<Outcome> {
  const { uid, type, config, secrets_sealed: secretsSealed } = channel;
  let opened: ChannelConfig<ChannelType>;
  try {
    const sealed = { uid, organizationId: claim.organization_id, config, secretsSealed };
    opened = openConfig(sealed) as ChannelConfig<ChannelType>;
  } catch {
    return failure("The channel's secrets cannot be read any more. Enter them again.", { final: true });
  }
  const { alert_id: alertId, payload } = claim;
  // Not what was kept when it was queued: a message may be sent long after, when pictures are not wanted any more.
  const pictures =
    alertId !== null && payload.event === "alert.triggered"
      ? await findMessagePictures(claim.organization_id, alertId)
      : null;
  return sendOver(type, opened, payload, claim.uid, pictures);
}

/** The outbox of this process. */
export const channelOutbox = (): Outbox<MessageRow, Channel> =>
  processWide("outbox", () => new Outbox(channelMessages));
