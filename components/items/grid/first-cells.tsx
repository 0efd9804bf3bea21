import type { CSSProperties } from "react";
import type { ItemCell } from "@/components/items/item-source";
import { ItemPicture } from "./item-picture";

/**
 * The colours of the first items where the grid will have them, while it is not known how many there are. They come with
 * the page.
 */
export function FirstCells({ items, size }: { items: readonly ItemCell[]; size: number }) {
  return (
    <div aria-hidden className="min-h-0 flex-1 overflow-hidden px-2 pt-2 sm:px-6">
      <div
        className="grid grid-cols-[repeat(auto-fill,minmax(var(--cell-size),1fr))] gap-2 max-sm:grid-cols-3"
        style={{ "--cell-size": `${size}px` } as CSSProperties}
      >
        {items.map((item) => (
          <div key={item.uid} className="overflow-hidden rounded-control border bg-raised pb-6">
            <ItemPicture item={item} load={false} className="aspect-4/3" />
          </div>
        ))}
      </div>
    </div>
  );
}
