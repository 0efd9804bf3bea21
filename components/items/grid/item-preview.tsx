"use client";

import Image from "next/image";
import { itemMediaHref } from "@/components/items/item-media";
import type { ItemCell } from "@/components/items/item-source";
import { useMedia } from "@/components/items/use-media";
import { drawnTypes } from "@/domain/datasets/media";

/** An item over the whole grid, while Space is held. */
export function ItemPreview({ item }: { item: ItemCell }) {
  const isPicture = item.media_type.startsWith("image/") && drawnTypes.some((type) => type === item.media_type);
  const media = useMedia(isPicture ? itemMediaHref(item.uid, "data") : null);
  const small = useMedia(item.has_thumbnail ? itemMediaHref(item.uid, "thumb") : null);
  const shown = media.state === "shown" ? media : small;
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-0 z-40 flex flex-col items-center justify-center gap-2 bg-scrim p-8"
    >
      {shown.state === "shown" && (
        <span className="relative block min-h-0 w-full flex-1">
          <Image src={shown.url} alt={item.key} fill unoptimized loading="eager" className="object-contain" />
        </span>
      )}
      <span className="rounded-control bg-raised px-2 py-1 font-mono text-table">{item.key}</span>
    </div>
  );
}
