import type { ChannelType } from "@/domain/channels/channel-type";
import type { ChannelConfig } from "@/domain/channels/registry";
import { email } from "@/server/features/channels/email";
import type { Message } from "@/server/features/channels/message";
import { pagerduty } from "@/server/features/channels/pagerduty";
import type { Sender } from "@/server/features/channels/sender";
import { slack } from "@/server/features/channels/slack";
import { teams } from "@/server/features/channels/teams";
import { webhook } from "@/server/features/channels/webhook";
import { failure, type Outcome } from "@/server/platform/http-client/post";

const senders: { [T in ChannelType]: Sender<T> } = { slack, email, webhook, pagerduty, teams };

/** The longest one attempt may take, whatever the receiver does, in milliseconds. */
const attemptMs = 20_000;

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
