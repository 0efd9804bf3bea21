"use client";

import { useEffect, useRef, useState } from "react";
import { usePalette } from "@/components/plots/palette";
import { toPicturePoint } from "@/components/recording/picture/picture-place";
import { PictureTiles, tilePixels } from "./picture-tiles";
import type { StagePlace } from "./use-stage-place";

interface TiledPictureProps {
  url: string;
  place: Pick<StagePlace, "frame" | "place">;
  filter: string;
  onFailure: () => void;
  onReady?: () => void;
}

/** A picture too large for the page: a canvas of the stage's size, with tiles of what is seen of it. */
export function TiledPicture({ url, place, filter, onFailure, onReady }: TiledPictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [tiles, setTiles] = useState<PictureTiles | null>(null);
  const [, setDrawn] = useState(0);
  const background = usePalette()?.surface;
  const failed = useRef(onFailure);
  const ready = useRef(onReady);
  useEffect(() => {
    failed.current = onFailure;
    ready.current = onReady;
  });
  useEffect(() => {
    const opened = new PictureTiles(() => setDrawn((count) => count + 1));
    let isOver = false;
    opened.open(url).then(
      () => {
        if (isOver) return;
        setTiles(opened);
        ready.current?.();
      },
      () => !isOver && failed.current(),
    );
    return () => {
      isOver = true;
      setTiles(null);
      opened.close();
    };
  }, [url]);
  useEffect(() => {
    if (canvas.current && tiles) draw(canvas.current, tiles, place);
  });
  return (
    <canvas
      ref={canvas}
      aria-hidden
      data-ready={tiles !== null || undefined}
      className="absolute inset-0 size-full"
      style={{ filter, background }}
    />
  );
}

function draw(canvas: HTMLCanvasElement, tiles: PictureTiles, { frame, place }: TiledPictureProps["place"]): void {
  const context = canvas.getContext("2d");
  const { overview } = tiles;
  if (!context || !overview) return;
  const ratio = Math.min(2, devicePixelRatio || 1);
  const { panel, picture } = frame;
  canvas.width = Math.round(panel.width * ratio);
  canvas.height = Math.round(panel.height * ratio);
  const { scale } = place;
  context.setTransform(
    scale * ratio,
    0,
    0,
    scale * ratio,
    (panel.width / 2 - place.x * scale) * ratio,
    (panel.height / 2 - place.y * scale) * ratio,
  );
  context.imageSmoothingEnabled = scale < 2;
  context.drawImage(overview, 0, 0, picture.width, picture.height);
  // The small picture is enough until its pixels would be seen.
  if (scale * ratio <= overview.width / picture.width) return;
  const from = toPicturePoint(frame, place, { x: 0, y: 0 });
  const to = toPicturePoint(frame, place, { x: panel.width, y: panel.height });
  const last = (size: number) => Math.ceil(size / tilePixels) - 1;
  for (
    let row = Math.max(0, Math.floor(from.y / tilePixels));
    row <= Math.min(last(picture.height), Math.floor(to.y / tilePixels));
    row++
  )
    for (
      let column = Math.max(0, Math.floor(from.x / tilePixels));
      column <= Math.min(last(picture.width), Math.floor(to.x / tilePixels));
      column++
    ) {
      const tile = tiles.get(column, row);
      if (tile) context.drawImage(tile, column * tilePixels, row * tilePixels, tile.width, tile.height);
    }
}
