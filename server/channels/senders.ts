import { email } from "@/server/channels/email";
import type { Message } from "@/server/channels/message";
import { pagerduty } from "@/server/channels/pagerduty";
import type { ChannelConfig, ChannelType } from "@/server/channels/schema";
import type { Sender } from "@/server/channels/sender";
import { slack } from "@/server/channels/slack";
import { teams } from "@/server/channels/teams";
import { webhook } from "@/server/channels/webhook";
import { failure, type Outcome } from "@/server/egress/post";

const senders: { [T in ChannelType]: Sender<T> } = { slack, email, webhook, pagerduty, teams };

/** The longest one attempt may take, whatever the receiver does, in milliseconds. */
export const attemptMs = 20_000;

/** Sends one message once over a channel whose configuration is open. Never throws for what the receiver does. */
export async function sendOver<T extends ChannelType>(
  type: T,
  config: ChannelConfig<T>,
  message: Message,
  deliveryId: string,
): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<Outcome>((resolve) => {
    timer = setTimeout(() => resolve(failure("no answer in time")), attemptMs);
  });
  try {
    return await Promise.race([senders[type].send(config, message, deliveryId), tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
