"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { itemHref, type DatasetAddress } from "@/components/items/item-links";
import { itemMediaHref } from "@/components/items/item-media";
import type { ViewedItem } from "@/components/items/item-type";
import { Button } from "@/components/kit/button";
import { plural } from "@/components/kit/format";
import { useTRPC } from "@/components/trpc/client";
import { seeCuboids, type SeenCuboid } from "./cuboids-beside";
import { MediaImage } from "./media-image";
import type { ItemShape } from "./shapes";

interface PicturesBesideProps {
  dataset: DatasetAddress;
  /** The cloud that they are beside. */
  item: Pick<ViewedItem, "uid" | "metadata">;
  shapes: readonly ItemShape[];
  selected: string | null;
}

/** The cuboids of a cloud over a picture that fills its box as far as it can. */
function Cuboids({ seen, size, selected }: { seen: readonly SeenCuboid[]; size: string; selected: string | null }) {
  return (
    <svg aria-hidden viewBox={size} className="absolute inset-0 size-full">
      {seen.map(({ id, label, colour, path }) => (
        <path
          key={id}
          data-cuboid={label}
          d={path}
          fill="none"
          stroke={colour}
          strokeWidth={id === selected ? 3 : 1.5}
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </svg>
  );
}

/**
 * What the cameras saw at the time of a cloud, over a corner of its stage, with the cuboids of the cloud where they are
 * calibrated; each picture leads to its own item.
 */
export function PicturesBeside({ dataset, item, shapes, selected }: PicturesBesideProps) {
  const { uid } = item;
  const trpc = useTRPC();
  const [open, setOpen] = useState(true);
  const { data: pictures = [] } = useQuery(trpc.items.beside.queryOptions({ ...dataset, uid }));
  if (pictures.length === 0) return null;
  const hasCuboids = shapes.some(({ type }) => type === "cuboid");
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
          {pictures.map((picture) => {
            const found = hasCuboids ? seeCuboids(shapes, item.metadata.pose, picture) : null;
            const seen = Array.isArray(found) ? found : [];
            const held = seen.length > 0 ? `, with ${plural(seen.length, "cuboid")} of the cloud` : "";
            return (
              <li key={picture.uid}>
                <a
                  href={itemHref(dataset, picture.uid)}
                  className="block overflow-hidden rounded-panel border bg-raised hover:border-border-strong"
                >
                  <span className="relative block">
                    <MediaImage
                      alt={`${picture.camera} at this time${held}`}
                      src={itemMediaHref(picture.uid, picture.has_thumbnail ? "thumb" : "data")}
                      className="aspect-video w-full bg-hover object-contain"
                    />
                    {seen.length > 0 && (
                      <Cuboids seen={seen} size={`0 0 ${picture.width} ${picture.height}`} selected={selected} />
                    )}
                  </span>
                  <span className="block truncate px-1.5 py-0.5 text-meta text-muted">
                    {picture.camera || picture.key}
                  </span>
                  {typeof found === "string" && (
                    <span className="block px-1.5 pb-1 text-meta text-subtle">No cuboids: {found}</span>
                  )}
                </a>
              </li>
            );
          })}
        </ul>
      )}
    </aside>
  );
}
