import { Status, type Tone } from "@/components/product/status";
import type { DeliveryStatus } from "@/domain/channels/delivery-status";

/** How each state of a message looks everywhere. */
export const deliveryLooks: Readonly<Record<DeliveryStatus, { tone: Tone; word: string }>> = {
  delivered: { tone: "online", word: "Delivered" },
  pending: { tone: "info", word: "Waiting" },
  failed: { tone: "error", word: "Failed" },
  canceled: { tone: "neutral", word: "Taken back" },
};

/** How a message fares, as shape and word. */
export function DeliveryStatusMark({ status, strong }: { status: DeliveryStatus; strong?: boolean }) {
  const { tone, word } = deliveryLooks[status];
  return (
    <Status tone={tone} strong={strong}>
      {word}
    </Status>
  );
}
