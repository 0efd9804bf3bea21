"use client";

import { useMemo } from "react";
import type { DrawnPicture } from "@/components/recording/thread/picture-view";
import { getColours, type ColourScale } from "@/engine/messages/colour-scale";

interface ValueLegendProps {
  /** What has the values, where it is not the picture itself. */
  label?: string;
  values: NonNullable<DrawnPicture["values"]>;
  scale: ColourScale;
}

const round = (value: number): string => String(Number(value.toPrecision(3)));

/** Which colours stand for which values. */
export function ValueLegend({ label, values: { min, max, unit }, scale }: ValueLegendProps) {
  const background = useMemo(() => {
    const colours = getColours(scale);
    const stops = Array.from({ length: 9 }, (_, n) => {
      const pixel = colours[Math.round((n / 8) * 255)]!;
      return `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;
    });
    return `linear-gradient(to right, ${stops.join(", ")})`;
  }, [scale]);
  return (
    <p className="flex max-w-full items-center gap-1 rounded-control bg-background/90 px-1 font-mono text-meta whitespace-nowrap tabular-nums">
      {label !== undefined && <span className="max-w-32 min-w-0 truncate font-sans text-muted">{label}</span>}
      {round(min)}
      <span aria-hidden className="h-2 w-12 min-w-4 rounded-xs" style={{ background }} />
      <span className="sr-only">to</span>
      {round(max)} {unit}
    </p>
  );
}
