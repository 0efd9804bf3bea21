import { itemLooks } from "@/components/items/item-looks";
import { cn } from "@/components/kit/cn";
import { formatNumber, plural } from "@/components/kit/format";
import { NarrowNoun } from "@/components/list/narrow-noun";
import { itemStatusLabels, type ItemStatus } from "@/domain/datasets/item-status";
import type { Dataset } from "./query";

const number = (value: number): string => formatNumber(value, 0);
const order = Object.keys(itemLooks) as ItemStatus[];

/** "12 accepted, 30 ready". */
function describeCounts({ counts }: Pick<Dataset, "counts">): string {
  return order
    .flatMap((status) => {
      const count = counts.statuses[status] ?? 0;
      return count > 0 ? [`${number(count)} ${itemStatusLabels[status]}`] : [];
    })
    .join(", ");
}

/** How many items a dataset has, and a bar of their states; the numbers of a column stand below each other. */
export function ItemBar({ of, isColumn = false }: { of: Pick<Dataset, "item_count" | "counts">; isColumn?: boolean }) {
  const { item_count: total, counts } = of;
  const text = describeCounts(of);
  return (
    <span className={cn("flex min-w-0 items-center gap-2", !isColumn && "w-44")} title={text}>
      <span className={cn("text-right tabular-nums", isColumn && "min-w-12")}>
        {isColumn ? (
          <>
            {number(total)}
            <NarrowNoun count={total} one="item" />
          </>
        ) : (
          plural(total, "item")
        )}
      </span>
      {total > 0 && (
        <span
          role="img"
          aria-label={text}
          className="flex h-1.5 min-w-10 flex-1 gap-px overflow-hidden rounded-full bg-border"
        >
          {order.map((status) => {
            const count = counts.statuses[status] ?? 0;
            return count === 0 ? null : (
              <span key={status} className={itemLooks[status].fill} style={{ flexGrow: count }} />
            );
          })}
        </span>
      )}
    </span>
  );
}

/** The share of items with annotations, in percent; null where there are none. */
export const labelledPercent = ({ item_count: total, counts }: Pick<Dataset, "item_count" | "counts">): number | null =>
  total === 0 ? null : Math.floor((100 * counts.labelled) / total);
