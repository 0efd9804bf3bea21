import type { ChannelType } from "@/domain/channels/channel-type";
import type { ChannelConfig } from "@/domain/channels/registry";
import type { MessagePictures } from "@/server/features/captures/message-pictures-service";
import type { Message } from "@/server/features/channels/message";
import type { Outcome } from "@/server/platform/http-client/post";

export interface Sender<T extends ChannelType> {
  /**
   * Sends one message once. Failures of the receiver are outcomes, not errors. `deliveryId` is the same in retries;
   * `pictures` is null for a message without any.
   */
  send: (
    config: ChannelConfig<T>,
    message: Message,
    deliveryId: string,
    pictures: MessagePictures | null,
  ) => Promise<Outcome>;
}
