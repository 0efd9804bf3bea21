"use client";

import { UnshownMessage, UnshownTopic } from "@/components/product/unshown-message";
import { useLatestMessage } from "./use-latest-message";

/** Why nothing of a topic is drawn: its messages cannot be decoded, such as the one at the playhead. */
export function UnreadTopic({ topic: { name, error } }: { topic: { name: string; error: string } }) {
  const { message } = useLatestMessage(name);
  if (!message || message.error === null) return <UnshownTopic reason={error} />;
  return <UnshownMessage reason={message.error} message={{ topic: name, time: BigInt(message.log_time_ns) }} />;
}
