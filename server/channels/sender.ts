import type { Message } from "@/server/channels/message";
import type { ChannelConfig, ChannelType } from "@/server/channels/schema";
import type { Outcome } from "@/server/egress/post";

export interface Sender<T extends ChannelType> {
  /** Sends one message once. Never throws for what the receiver does. `deliveryId` is the same in every attempt. */
  send: (config: ChannelConfig<T>, message: Message, deliveryId: string) => Promise<Outcome>;
}
