import { Status, type Tone } from "@/components/product/status";
import type { DeliveryRow } from "./query";

export const deliveryLooks: Readonly<Record<DeliveryRow["status"], { tone: Tone; label: string }>> = {
  pending: { tone: "info", label: "Waiting" },
  delivered: { tone: "online", label: "Delivered" },
  failed: { tone: "error", label: "Failed" },
};

interface MarkProps {
  status: DeliveryRow["status"];
  /** It waits for another attempt after a failed one. */
  retrying?: boolean;
  strong?: boolean;
  hideLabel?: boolean;
}

/** The state of a delivery, as shape and label. */
export function DeliveryMark({ status, retrying = false, strong, hideLabel }: MarkProps) {
  const { tone, label } = retrying ? ({ tone: "warning", label: "Retrying" } as const) : deliveryLooks[status];
  return (
    <Status tone={tone} strong={strong} hideLabel={hideLabel}>
      {label}
    </Status>
  );
}

export const isRetrying = ({ status, attempts, error }: Pick<DeliveryRow, "status" | "attempts" | "error">): boolean =>
  status === "pending" && attempts > 0 && error !== null;
