"use client";

import { useEffect, useRef, type MouseEvent } from "react";
import { itemHref, type DatasetAddress, type GridPlace } from "@/components/items/item-links";
import { itemMediaHref } from "@/components/items/item-media";
import { mediaGlyphs } from "@/components/items/media-glyphs";
import { cn } from "@/components/kit/cn";
import { MediaImage } from "./media-image";
import type { Neighbour } from "./use-neighbours";

interface FilmstripProps {
  dataset: DatasetAddress;
  place: GridPlace;
  /** The item that is shown. */
  uid: string;
  /** It and those around it, in their order. */
  items: readonly Neighbour[];
  onOpen: (uid: string) => void;
}

/** The items around one, under the same filter and order. */
export function Filmstrip({ dataset, place, uid: shown, items, onOpen }: FilmstripProps) {
  const current = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    current.current?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [shown, items]);
  const open = (event: MouseEvent, uid: string) => {
    // Another tab opens as with any link.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    onOpen(uid);
  };
  return (
    <nav aria-label="Neighbouring items" className="h-17.5 shrink-0 border-t">
      <ul className="flex gap-1 overflow-x-auto p-1.5">
        {items.map(({ uid, key, media, has_thumbnail: hasThumbnail }) => {
          const Glyph = mediaGlyphs[media];
          const isCurrent = uid === shown;
          return (
            <li key={uid} className="shrink-0">
              <a
                ref={isCurrent ? current : undefined}
                href={itemHref(dataset, uid, place)}
                aria-label={key}
                aria-current={isCurrent ? "true" : undefined}
                title={key}
                onClick={(event) => open(event, uid)}
                className={cn(
                  "flex h-14 w-20 items-center justify-center overflow-hidden rounded-control border-2 bg-hover",
                  isCurrent ? "border-accent" : "border-transparent hover:border-border-strong",
                )}
              >
                {hasThumbnail ? (
                  <MediaImage
                    alt=""
                    src={itemMediaHref(uid, "thumb")}
                    loading="lazy"
                    className="size-full object-contain"
                  />
                ) : (
                  <Glyph aria-hidden className="size-5 text-subtle" />
                )}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
