import { Status, type Tone } from "@/components/product/status";
import type { Delivery } from "./query";

const looks: Record<Delivery["status"], { tone: Tone; word: string }> = {
  pending: { tone: "info", word: "Waiting" },
  delivered: { tone: "online", word: "Delivered" },
  failed: { tone: "error", word: "Failed" },
  canceled: { tone: "neutral", word: "Taken back" },
};

/** How a message fares, as shape and word. */
export function DeliveryStatusMark({ status, strong }: { status: Delivery["status"]; strong?: boolean }) {
  const { tone, word } = looks[status];
  return (
    <Status tone={tone} strong={strong}>
      {word}
    </Status>
  );
}
