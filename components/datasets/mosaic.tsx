"use client";

import Image from "next/image";
import { itemMediaHref } from "@/components/items/item-media";
import { useMedia } from "@/components/items/use-media";

function Tile({ uid }: { uid: string }) {
  const media = useMedia(itemMediaHref(uid, "thumb"));
  return (
    <span className="relative h-6 w-7 overflow-hidden rounded-control bg-border">
      {media.state === "shown" && (
        <Image src={media.url} alt="" fill unoptimized loading="eager" className="object-cover" />
      )}
    </span>
  );
}

/** A few pictures of a dataset, side by side. */
export function Mosaic({ thumbnails }: { thumbnails: readonly string[] }) {
  return (
    <span aria-hidden className="flex h-6 gap-1">
      {thumbnails.map((uid) => (
        <Tile key={uid} uid={uid} />
      ))}
    </span>
  );
}
