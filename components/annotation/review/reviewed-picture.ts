"use client";

import { useEffect, useMemo, useState } from "react";
import { itemMediaHref } from "@/components/items/item-media";
import type { PictureSource } from "../stage/editor-picture";
import type { ReviewedTask } from "./query";

const toSize = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : null;

/** The picture of a task; null until its size is known, which old items do not tell. */
export function useReviewedPicture({ item }: ReviewedTask): { picture: PictureSource | null; hasFailed: boolean } {
  const { uid, thumbnail_url: thumbnail, metadata } = item;
  const [width, height] = [toSize(metadata["width"]), toSize(metadata["height"])];
  const [natural, setNatural] = useState<{ width: number; height: number } | null>(null);
  const [hasFailed, setFailed] = useState(false);
  const isKnown = width !== null && height !== null;
  useEffect(() => {
    if (isKnown) return;
    const image = new Image();
    image.onload = () => setNatural({ width: image.naturalWidth, height: image.naturalHeight });
    image.onerror = () => setFailed(true);
    image.src = itemMediaHref(uid, "data");
    return () => void (image.onload = image.onerror = null);
  }, [isKnown, uid]);
  const picture = useMemo(() => {
    const size = width !== null && height !== null ? { width, height } : natural;
    const small = thumbnail === "" ? undefined : itemMediaHref(uid, "thumb");
    return size && { url: itemMediaHref(uid, "data"), thumbnail: small, ...size };
  }, [uid, thumbnail, width, height, natural]);
  return { picture, hasFailed };
}
