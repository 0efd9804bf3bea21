import type { ChannelType } from "@/domain/channels/channel-type";
import type { ChannelConfig } from "@/domain/channels/registry";
import type { MessagePictures } from "@/server/features/captures/message-pictures-service";
import { email } from "@/server/features/channels/email";
import type { Message } from "@/server/features/channels/message";
import { pagerduty } from "@/server/features/channels/pagerduty";
import type { Sender } from "@/server/features/channels/sender";
import { slack } from "@/server/features/channels/slack";
import { teams } from "@/server/features/channels/teams";
import { webhook } from "@/server/features/channels/webhook";
import { failure, type Outcome } from "@/server/platform/http-client/post";

const senders: { [T in ChannelType]: Sender<T> } = { slack, email, webhook, pagerduty, teams };

/** The timeout of one attempt in milliseconds. */
const attemptTimeoutMs = 20_000;

/** Sends one message once, with an opened configuration. Failures of the receiver are outcomes, not errors. */
export async function sendOver<T extends ChannelType>(
  type: T,
  config: ChannelConfig<T>,
  message: Message,
  deliveryId: string,
  pictures: MessagePictures | null = null,
): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Outcome>((resolve) => {
    timer = setTimeout(() => resolve(failure("no answer in time")), attemptTimeoutMs);
  });
  try {
    return await Promise.race([senders[type].send(config, message, deliveryId, pictures), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
