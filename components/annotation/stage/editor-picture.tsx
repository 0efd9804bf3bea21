"use client";

import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { MediaImage } from "@/components/items/viewer/media-image";
import { TiledPicture } from "@/components/items/viewer/tiled-picture";
import { useLatest } from "@/components/kit/latest";
import { toMatrix } from "@/components/recording/picture/picture-place";
import type { EditorStore } from "../store/editor-store";

/** Pixels up to which the page itself decodes a picture. */
export const maxWholePixels = 24_000_000;

export interface PictureSource {
  url: string;
  /** Shown at full size until the picture is there. */
  thumbnail?: string | undefined;
  width: number;
  height: number;
}

interface EditorPictureProps {
  store: EditorStore;
  source: PictureSource;
  /** The style of brightness and contrast. */
  filter: string;
  onDrawn?: () => void;
  onFailure?: () => void;
}

const never = () => {};

/** Where the picture lies on the stage. */
export function usePlace(store: EditorStore): EditorStore["view"]["placed"] {
  const read = () => store.view.placed;
  return useSyncExternalStore((listener) => store.onDraw(({ what }) => what === "place" && listener()), read, read);
}

/** The picture below the shapes: whole, or large ones by the tiles of what is seen. */
export function EditorPicture({ store, source, filter, onDrawn = never, onFailure = never }: EditorPictureProps) {
  const placed = usePlace(store);
  const [isLoaded, setLoaded] = useState(false);
  const { url, thumbnail, width, height } = source;
  const image = useRef<HTMLImageElement>(null);
  const fail = useLatest(onFailure);
  const drawn = useLatest(onDrawn);
  useEffect(() => {
    // In the first page it may have come, or failed, before anything listened.
    const element = image.current;
    if (!element?.complete) return;
    if (element.naturalWidth > 0) setLoaded(true);
    else fail();
  }, [url, fail]);
  useEffect(() => {
    if (isLoaded) drawn();
  }, [isLoaded, drawn]);
  if (width * height > maxWholePixels)
    return <TiledPicture key={url} url={url} place={placed} filter={filter} onFailure={onFailure} onReady={onDrawn} />;
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute top-0 left-0 origin-top-left"
      style={{ width, height, transform: toMatrix(placed.frame, placed.place) }}
    >
      {thumbnail !== undefined && !isLoaded && (
        <MediaImage
          alt=""
          src={thumbnail}
          draggable={false}
          className="absolute inset-0 size-full"
          style={{ filter }}
        />
      )}
      <MediaImage
        key={url}
        alt=""
        src={url}
        draggable={false}
        data-ready={isLoaded || undefined}
        ref={image}
        onLoad={() => setLoaded(true)}
        onError={onFailure}
        className="absolute inset-0 size-full"
        style={{ filter, imageRendering: placed.place.scale > 2 ? "pixelated" : undefined }}
      />
    </div>
  );
}
