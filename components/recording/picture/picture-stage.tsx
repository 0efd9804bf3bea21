"use client";

import { useRef, useState, type RefObject } from "react";
import { cn } from "@/components/kit/cn";
import type { CloudReport } from "@/components/recording/thread/cloud-overlay";
import type { DrawnPicture } from "@/components/recording/thread/picture-view";
import type { Overlay } from "@/engine/messages/pictures/picture-overlays";
import { AnnotationOverlay } from "./annotation-overlay";
import { turnRight, type PictureConfig } from "./picture-config";
import { usePicturePlace } from "./use-picture-place";
import { ValueLegend } from "./value-legend";

interface PictureStageProps {
  topic: string;
  /** Says what is shown. */
  label: string;
  /** Gets the canvas. */
  canvas: RefObject<HTMLDivElement | null>;
  drawn: DrawnPicture | null;
  config: PictureConfig;
  overlays: readonly Overlay[];
  /** Gets the canvas of the cloud over the picture. */
  cloudCanvas: RefObject<HTMLDivElement | null>;
  cloud: CloudReport | null;
  isStale: boolean;
  readPixel: (x: number, y: number) => Promise<string | null>;
  onConfigChange: (change: Partial<PictureConfig>) => void;
}

/** A picture that can be enlarged, moved and turned, with what is drawn over it. */
export function PictureStage(props: PictureStageProps) {
  const { topic, label, canvas, drawn, config, overlays, cloudCanvas, cloud, isStale, readPixel, onConfigChange } =
    props;
  const points = cloud?.state === "drawn" ? cloud : null;
  const panel = useRef<HTMLDivElement>(null);
  const { width, height } = drawn ?? { width: 0, height: 0 };
  const { rotation, mirrored, brightness, contrast } = config;
  const place = usePicturePlace(panel, { width, height }, { rotation, mirrored });
  const [pixel, setPixel] = useState<{ x: number; y: number; text: string } | null>(null);
  const newest = useRef(0);
  const look = (at: { x: number; y: number }) => {
    const turn = ++newest.current;
    void readPixel(at.x, at.y).then(
      (text) => turn === newest.current && setPixel(text === null ? null : { ...at, text }),
      () => {}, // the panel says why its recording cannot be read
    );
  };
  return (
    <div
      ref={panel}
      role="group"
      tabIndex={0}
      aria-label={`View of ${topic}`}
      aria-keyshortcuts="+ - 0 Shift+0 R Shift+R"
      className={cn(
        "relative h-full overflow-hidden",
        place.isFitted ? "touch-pan-y" : "touch-none cursor-grab active:cursor-grabbing",
      )}
      {...place.handlers}
      onKeyDown={(event) => {
        if (event.key.toLowerCase() !== "r" || event.ctrlKey || event.metaKey || event.altKey)
          return place.handlers.onKeyDown(event);
        event.preventDefault();
        onConfigChange(event.shiftKey ? { mirrored: !mirrored } : { rotation: turnRight(rotation) });
      }}
      onPointerMove={(event) => {
        place.handlers.onPointerMove(event);
        look(place.toPixel(event));
      }}
      onPointerLeave={() => {
        newest.current += 1;
        setPixel(null);
      }}
    >
      <div role="img" aria-label={label} className="absolute inset-0">
        <div className="absolute top-0 left-0 origin-top-left" style={{ width, height, transform: place.matrix }}>
          <div
            ref={canvas}
            className={cn(
              "transition-opacity [&>canvas]:block",
              place.scale > 2 && "[&>canvas]:[image-rendering:pixelated]",
              isStale && "opacity-50",
            )}
            style={{
              filter: brightness === 1 && contrast === 1 ? "none" : `brightness(${brightness}) contrast(${contrast})`,
              background: hatch(place.scale),
            }}
          />
          {config.cloud !== null && (
            <div
              ref={cloudCanvas}
              className={cn(
                "pointer-events-none absolute inset-0 [&>canvas]:size-full [&>canvas]:[image-rendering:pixelated]",
                points?.isApart && "opacity-50",
              )}
            />
          )}
          {overlays.length > 0 && (
            <AnnotationOverlay
              overlays={overlays}
              width={width}
              height={height}
              scale={place.scale}
              rotation={rotation}
              mirrored={mirrored}
            />
          )}
        </div>
      </div>
      <div className="pointer-events-none absolute right-1 bottom-1 flex max-w-full flex-col items-end gap-1">
        {points?.values && <ValueLegend label={points.colouredBy} values={points.values} scale="turbo" />}
        {drawn?.values && <ValueLegend values={drawn.values} scale={config.colour_scale} />}
      </div>
      {pixel && (
        <p className="pointer-events-none absolute bottom-1 left-1 rounded-control bg-background/90 px-1 font-mono text-meta tabular-nums">
          x {pixel.x} y {pixel.y} · {pixel.text}
        </p>
      )}
    </div>
  );
}

/** What shows where nothing was measured: lines of one pixel of the screen, however far the picture is enlarged. */
const hatch = (scale: number): string =>
  `repeating-linear-gradient(45deg, var(--color-border) 0 ${1 / scale}px, transparent ${1 / scale}px ${6 / scale}px)`;
