"use client";

import { Suspense } from "react";
import { lazyPart } from "@/components/kit/lazy-part";
import { Skeleton } from "@/components/kit/skeleton";
import type { SeriesPlotProps } from "./plot-types";

/** Height in px of the line above a plot. */
const headHeight = 28;

const getHeight = ({ height = 160 }: SeriesPlotProps) => height + headHeight;

// Loaded on demand, because lists show a plot only in their drawer.
const DrawnSeriesPlot = lazyPart(async () => (await import("./drawn-series-plot")).DrawnSeriesPlot, {
  height: getHeight,
});

/**
 * One field of a recording over a fixed range of time, complete in itself: fetches what it draws, shows exact values
 * below the pointer, and the same data as a table on request.
 */
export function SeriesPlot(props: SeriesPlotProps) {
  return (
    <Suspense
      fallback={
        <div style={{ height: getHeight(props) }}>
          <Skeleton className="h-full" />
        </div>
      }
    >
      <DrawnSeriesPlot {...props} />
    </Suspense>
  );
}
