"use client";

import { useEffect, useRef, useState } from "react";
import { itemMediaHref } from "@/components/items/item-media";
import { readNumber, type ViewedItem } from "@/components/items/item-type";
import { cn } from "@/components/kit/cn";
import { useLatest } from "@/components/kit/latest";
import { MediaImage } from "./media-image";
import { ShapeOverlay } from "./shape-overlay";
import type { ItemShape } from "./shapes";
import { StageTools } from "./stage-tools";
import { TiledPicture } from "./tiled-picture";
import { useStageKeys } from "./use-stage-keys";
import { useStagePlace } from "./use-stage-place";

/** Pixels up to which the page itself decodes a picture. */
const maxWholePixels = 24_000_000;

export interface ImageStageProps {
  item: ViewedItem;
  shapes: readonly ItemShape[];
  selected: string | null;
  /** The style of brightness and contrast. */
  filter: string;
  onStep: (forwards: boolean) => void;
  /** The file cannot be shown, for this reason where it is known. */
  onFailure: (reason?: string) => void;
}

/** A picture with its shapes, which is enlarged and moved. */
export function ImageStage({ item, shapes, selected, filter, onStep, onFailure }: ImageStageProps) {
  const stage = useRef<HTMLDivElement>(null);
  const [natural, setNatural] = useState<{ width: number; height: number } | null>(null);
  const [loaded, setLoaded] = useState(false);
  const width = readNumber(item, "width") ?? natural?.width ?? 1;
  const height = readNumber(item, "height") ?? natural?.height ?? 1;
  const place = useStagePlace(stage, { width, height }, onStep);
  useStageKeys(place);
  const image = useRef<HTMLImageElement>(null);
  const onLoad = useLatest((element: HTMLImageElement) => {
    setNatural({ width: element.naturalWidth, height: element.naturalHeight });
    setLoaded(true);
  });
  const onError = useLatest(() => onFailure());
  useEffect(() => {
    // In the first page it may have come, or failed, before anything listened.
    const element = image.current;
    if (!element?.complete) return;
    if (element.naturalWidth > 0) onLoad(element);
    else onError();
  }, [onLoad, onError]);
  const isLarge = width * height > maxWholePixels;
  const url = itemMediaHref(item.uid, "data");
  const [pixel, setPixel] = useState<{ x: number; y: number } | null>(null);
  const isInside = pixel !== null && pixel.x >= 0 && pixel.y >= 0 && pixel.x < width && pixel.y < height;
  return (
    <div
      ref={stage}
      role="group"
      aria-label="Picture"
      className={cn(
        "relative size-full touch-none overflow-hidden select-none",
        !place.isFitted && "cursor-grab active:cursor-grabbing",
      )}
      {...place.handlers}
      onPointerMove={(event) => {
        place.handlers.onPointerMove(event);
        setPixel(place.toPixel(event));
      }}
      onPointerLeave={() => setPixel(null)}
      onDoubleClick={place.fit}
    >
      {isLarge && <TiledPicture key={url} url={url} place={place} filter={filter} onFailure={onFailure} />}
      <div
        role="img"
        aria-label={`${item.key}, ${width} × ${height} pixels, ${shapes.length === 1 ? "1 shape" : `${shapes.length} shapes`}`}
        className="absolute top-0 left-0 origin-top-left"
        style={{ width, height, transform: place.matrix }}
      >
        {item.has_thumbnail && !loaded && !isLarge && (
          <MediaImage
            alt=""
            src={itemMediaHref(item.uid, "thumb")}
            draggable={false}
            className="absolute inset-0 size-full"
            style={{ filter }}
          />
        )}
        {!isLarge && (
          <MediaImage
            key={url}
            alt=""
            src={url}
            draggable={false}
            data-ready={loaded || undefined}
            ref={image}
            onLoad={({ currentTarget }) => onLoad(currentTarget)}
            onError={onError}
            className={cn(
              "absolute inset-0 size-full",
              place.place.scale > 2 && "[image-rendering:pixelated]",
              !loaded && "opacity-0",
            )}
            style={{ filter }}
          />
        )}
        <ShapeOverlay shapes={shapes} width={width} height={height} scale={place.place.scale} selected={selected} />
      </div>
      <StageTools place={place}>
        {isInside && (
          <span>
            x {pixel.x} y {pixel.y}
          </span>
        )}
      </StageTools>
    </div>
  );
}
