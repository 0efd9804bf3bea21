import { Status, type Tone } from "@/components/product/status";
import type { DeliveryStatus } from "@/domain/channels/delivery-status";

/** How each state of a message looks everywhere. */
export const deliveryLooks: Readonly<Record<DeliveryStatus, { tone: Tone; label: string }>> = {
  delivered: { tone: "online", label: "Delivered" },
  pending: { tone: "info", label: "Waiting" },
  failed: { tone: "error", label: "Failed" },
  canceled: { tone: "neutral", label: "Canceled" },
};

/** The state of a message, as shape and label. */
export function DeliveryStatusMark({ status, strong }: { status: DeliveryStatus; strong?: boolean }) {
  const { tone, label } = deliveryLooks[status];
  return (
    <Status tone={tone} strong={strong}>
      {label}
    </Status>
  );
}
