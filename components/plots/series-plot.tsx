"use client";

import { lazy, Suspense } from "react";
import { Skeleton } from "@/components/kit/skeleton";
import type { SeriesPlotProps } from "./plot-types";

/** Height in px of the line above a plot. */
const headHeight = 28;

// Loaded on demand, because lists show a plot only in their drawer.
const DrawnSeriesPlot = lazy(async () => ({ default: (await import("./drawn-series-plot")).DrawnSeriesPlot }));

/**
 * One field of a recording over a fixed range of time, complete in itself: fetches what it draws, shows exact values
 * below the pointer, and the same data as a table on request.
 */
export function SeriesPlot(props: SeriesPlotProps) {
  return (
    <Suspense
      fallback={
        <div style={{ height: (props.height ?? 160) + headHeight }}>
          <Skeleton className="h-full" />
        </div>
      }
    >
      <DrawnSeriesPlot {...props} />
    </Suspense>
  );
}
