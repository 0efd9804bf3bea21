import { Status } from "@/components/product/status";
import { itemStatusLabels, type ItemStatus } from "@/domain/datasets/item-status";
import { itemLooks } from "./item-looks";

/** The state of an item as shape and words; the API's own word is in its tooltip. */
export function ItemStatusMark({ status, hideLabel = false }: { status: ItemStatus; hideLabel?: boolean }) {
  const { tone, shape } = itemLooks[status];
  return (
    <span title={status} className="inline-flex max-w-full">
      <Status tone={tone} shape={shape} hideLabel={hideLabel}>
        {itemStatusLabels[status]}
      </Status>
    </span>
  );
}
