"use client";

import { Suspense, useMemo } from "react";
import { lazyPart } from "@/components/kit/lazy-part";
import { pickColour, usePalette } from "@/components/plots/palette";
import { formatValue, toColumns } from "@/components/plots/series-columns";
import { secondsFrom, TimeAxis } from "@/components/plots/time-axis";
import type { SharedPlot } from "@/domain/shares/shared-recording";

const NumberPlot = lazyPart(async () => (await import("@/components/plots/number-plot")).default, {
  height: (props) => props.height,
});

const height = 160;
const none: readonly never[] = [];

/** A field over the shared range, whose points came with the page. */
export function SharedSeries({ plot, from, to }: { plot: SharedPlot; from: bigint; to: bigint }) {
  const palette = usePalette();
  const axis = useMemo(() => new TimeAxis(from, { from: 0, to: Math.max(secondsFrom(from, to), 0.001) }), [from, to]);
  const columns = useMemo(() => toColumns(plot, axis.origin), [plot, axis]);
  const path = plot.field.startsWith("[") ? `${plot.topic}${plot.field}` : `${plot.topic}.${plot.field}`;
  const [min, max] = [
    Math.min(...plot.points.map(([, least]) => least)),
    Math.max(...plot.points.map(([, , most]) => most)),
  ];
  const unit = plot.unit === undefined ? "" : ` ${plot.unit}`;
  return (
    <figure className="min-w-0">
      <figcaption className="font-mono text-table wrap-anywhere">
        {path}
        {unit !== "" && <span className="text-muted">{unit}</span>}
      </figcaption>
      {palette ? (
        <Suspense fallback={<div style={{ height }} />}>
          <NumberPlot
            axis={axis}
            columns={columns}
            palette={palette}
            colour={pickColour(palette, path)}
            height={height}
            thresholds={none}
            bands={none}
            marks={none}
            locked={null}
            times
            label={`${path} over time, from ${formatValue(min)} to ${formatValue(max)}${unit}`}
          />
        </Suspense>
      ) : (
        <div style={{ height }} />
      )}
    </figure>
  );
}
