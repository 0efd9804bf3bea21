"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { itemHref, type DatasetAddress } from "@/components/items/item-links";
import { itemMediaHref } from "@/components/items/item-media";
import { Button } from "@/components/kit/button";
import { plural } from "@/components/kit/format";
import { useTRPC } from "@/components/trpc/client";
import { MediaImage } from "./media-image";

/** What the cameras saw at the time of an item, over a corner of its stage; each picture leads to its own item. */
export function PicturesBeside({ dataset, uid }: { dataset: DatasetAddress; uid: string }) {
  const trpc = useTRPC();
  const [open, setOpen] = useState(true);
  const { data: pictures = [] } = useQuery(trpc.items.beside.queryOptions({ ...dataset, uid }));
  if (pictures.length === 0) return null;
  return (
    <aside
      aria-label="Cameras at this time"
      className="absolute top-2 right-2 flex max-h-3/4 w-44 flex-col items-end gap-1"
    >
      <Button size="sm" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? "Hide cameras" : plural(pictures.length, "camera")}
      </Button>
      {open && (
        <ul className="flex w-full flex-col gap-1 overflow-y-auto">
          {pictures.map((picture) => (
            <li key={picture.uid}>
              <a
                href={itemHref(dataset, picture.uid)}
                className="block overflow-hidden rounded-panel border bg-raised hover:border-border-strong"
              >
                <MediaImage
                  alt={`${picture.camera} at this time`}
                  src={itemMediaHref(picture.uid, picture.has_thumbnail ? "thumb" : "data")}
                  className="aspect-video w-full bg-hover object-contain"
                />
                <span className="block truncate px-1.5 py-0.5 text-meta text-muted">
                  {picture.camera || picture.key}
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </aside>
  );
}
