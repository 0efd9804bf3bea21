"use client";

import { Unplug } from "lucide-react";
import Image from "next/image";
import { useState } from "react";
import { labelColour } from "@/components/items/item-colour";
import { hatched } from "@/components/items/item-looks";
import { itemMediaHref } from "@/components/items/item-media";
import type { ItemCell } from "@/components/items/item-source";
import { mediaGlyphs } from "@/components/items/media-glyphs";
import { useMedia } from "@/components/items/use-media";
import { cn } from "@/components/kit/cn";
import { toMediaKind } from "@/domain/items/viewer-schema";
import type { CellShape } from "./use-cell-shapes";
import type { Predicted } from "./use-predictions";

/** What stands for an item that has no picture: a sign of its kind and its format. */
function Glyph({ mediaType, text }: { mediaType: string; text?: string }) {
  const format = mediaType.split("/")[1] ?? "";
  const Icon = text === undefined ? mediaGlyphs[toMediaKind(mediaType)] : Unplug;
  return (
    <span className="flex size-full flex-col items-center justify-center gap-1 p-1 text-center text-meta text-muted">
      <Icon aria-hidden className="size-5" strokeWidth={1.5} />
      <span className="max-w-full truncate">{text ?? (format || "unknown")}</span>
    </span>
  );
}

interface ShapesProps {
  shapes: readonly Pick<CellShape, "label" | "closed" | "points" | "rings">[];
  /** In which a label is drawn. */
  toColour: (at: number) => string;
  width: number;
  height: number;
  dashed?: boolean;
}

function Shapes({ shapes, toColour, width, height, dashed = false }: ShapesProps) {
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="xMidYMid meet"
      className="pointer-events-none absolute inset-0 size-full"
    >
      {shapes.map(({ closed, points, rings }, at) => {
        const lines = [points, ...rings].map((line) => line.map((point) => point.join(",")).join(" "));
        const style = {
          stroke: toColour(at),
          strokeWidth: 1.5,
          strokeDasharray: dashed ? "4 3" : undefined,
          vectorEffect: "non-scaling-stroke",
        } as const;
        return lines.map((line, ring) => {
          const key = `${at} ${ring}`;
          return closed ? (
            <polygon key={key} points={line} fill="none" style={style} />
          ) : (
            <polyline key={key} points={line} fill="none" style={style} />
          );
        });
      })}
    </svg>
  );
}

interface ItemPictureProps {
  item: Pick<ItemCell, "uid" | "status" | "media_type" | "tint" | "has_thumbnail" | "width" | "height">;
  /** False while the grid moves too fast for pictures to be seen. */
  load: boolean;
  shapes?: readonly CellShape[] | undefined;
  /** Those of a model, which are dashed. */
  predicted?: Predicted["shapes"] | undefined;
  className?: string;
}

/** The small picture of an item on its mean colour, which is there before any byte of the picture. */
export function ItemPicture({ item, load, shapes = [], predicted = [], className }: ItemPictureProps) {
  const [started, setStarted] = useState(load);
  // What was begun goes on, so that nothing on the screen vanishes when it moves.
  if (load && !started) setStarted(true);
  const media = useMedia(started && item.has_thumbnail ? itemMediaHref(item.uid, "thumb") : null);
  const { width, height, status } = item;
  return (
    <span
      className={cn("relative block overflow-hidden", status === "pending" && hatched, className)}
      data-tint={item.tint ?? undefined}
      style={{ backgroundColor: item.tint ?? "var(--hover)" }}
    >
      {status === "pending" ? (
        <Glyph mediaType={item.media_type} text="being read" />
      ) : !item.has_thumbnail || media.state === "missing" || media.state === "failed" ? (
        <Glyph mediaType={item.media_type} />
      ) : media.state === "disconnected" ? (
        <Glyph mediaType={item.media_type} text="Its bucket is not connected any more" />
      ) : (
        media.state === "shown" && (
          <Image src={media.url} alt="" fill unoptimized loading="eager" draggable={false} className="object-contain" />
        )
      )}
      {shapes.length > 0 && width !== null && height !== null && (
        <Shapes
          shapes={shapes}
          toColour={(at) => labelColour(shapes[at]?.label ?? "", shapes[at]?.color)}
          width={width}
          height={height}
        />
      )}
      {predicted.length > 0 && width !== null && height !== null && (
        <Shapes
          shapes={predicted}
          toColour={(at) => labelColour(predicted[at]?.label ?? "")}
          width={width}
          height={height}
          dashed
        />
      )}
    </span>
  );
}
