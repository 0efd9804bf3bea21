"use client";

import { useEffect, useMemo, useState } from "react";
import type { PictureSource } from "@/components/annotation/stage/editor-picture";
import { itemMediaHref } from "@/components/items/item-media";
import type { TaskForEditor } from "./query";

export const toSize = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : null;

/** The picture of a task; null until its size is known, which old items do not tell. */
export function useTaskPicture({ item }: TaskForEditor): { picture: PictureSource | null; hasFailed: boolean } {
  const [natural, setNatural] = useState<{ width: number; height: number } | null>(null);
  const [hasFailed, setFailed] = useState(false);
  const width = toSize(item.metadata["width"]);
  const height = toSize(item.metadata["height"]);
  const isKnown = width !== null && height !== null;
  const { uid } = item;
  useEffect(() => {
    if (isKnown) return;
    const image = new Image();
    image.onload = () => setNatural({ width: image.naturalWidth, height: image.naturalHeight });
    image.onerror = () => setFailed(true);
    image.src = itemMediaHref(uid, "data");
    return () => void (image.onload = image.onerror = null);
  }, [isKnown, uid]);
  const hasThumbnail = item.thumbnail_url !== "";
  const picture = useMemo(() => {
    const size = width !== null && height !== null ? { width, height } : natural;
    if (!size) return null;
    const thumbnail = hasThumbnail ? itemMediaHref(uid, "thumb") : undefined;
    return { url: itemMediaHref(uid, "data"), thumbnail, ...size };
  }, [uid, width, height, natural, hasThumbnail]);
  return { picture, hasFailed };
}
