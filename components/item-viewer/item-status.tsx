import { Status, type Tone } from "@/components/product/status";
import { itemStatusLabels, type ItemStatus } from "@/domain/datasets/item-status";

const tones: Readonly<Record<ItemStatus, Tone>> = {
  unattempted: "neutral",
  pending: "neutral",
  ready_for_annotation: "info",
  in_progress: "info",
  completed: "info",
  rework_required: "warning",
  customer_approved: "online",
};

/** The state of an item as text and shape. */
export function ItemState({ status }: { status: ItemStatus }) {
  const label = itemStatusLabels[status];
  return <Status tone={tones[status]}>{label.charAt(0).toUpperCase() + label.slice(1)}</Status>;
}
