"use client";

import { useEffect, useRef, useState, type ReactNode } from "react";
import { Chart, type ChartProps, type Placed } from "@/components/plots/chart";
import { ChartSurface } from "@/components/plots/chart-surface";
import { gutter } from "@/components/plots/plot-types";
import { ThresholdHandle } from "@/components/plots/threshold-handle";
import type { TimeAxis } from "@/components/plots/time-axis";

/** A threshold that is being set on one of the lines. */
export interface SetThreshold {
  path: string;
  value: number;
  isRight: boolean;
  unit: string | undefined;
  onChange: (value: number) => void;
}

/** The lines of a chart, what the pointer does over them, and the handle of a threshold. */
export function ChartDrawing({ threshold, ...props }: ChartProps & { threshold: SetThreshold | null }) {
  const [placed, setPlaced] = useState<Placed | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  // Panning changes it with every frame; the handle follows once panning stops.
  const onPlaced = (next: Placed) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => setPlaced((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next)),
      60,
    );
  };
  const scale = placed && (threshold?.isRight ? (placed.right ?? placed.left) : placed.left);
  return (
    <Surface axis={props.axis} isOverTime={props.isOverTime}>
      <Chart {...props} onPlaced={threshold ? onPlaced : undefined} />
      {threshold && scale && (
        <ThresholdHandle
          value={threshold.value}
          scale={{ ...scale, top: placed.box.top, height: placed.box.height }}
          unit={threshold.unit}
          label={`Threshold of ${threshold.path}`}
          onChange={threshold.onChange}
        />
      )}
    </Surface>
  );
}

/** Over time the pointer pans and zooms; elsewhere it picks points. */
function Surface({ axis, isOverTime, children }: { axis: TimeAxis; isOverTime: boolean; children: ReactNode }) {
  if (!isOverTime) return <div className="relative min-h-40 flex-1">{children}</div>;
  return (
    <ChartSurface
      axis={axis}
      left={gutter.left}
      drag="pan"
      className="min-h-40 flex-1 *:first:absolute! *:first:inset-0"
    >
      {children}
    </ChartSurface>
  );
}
