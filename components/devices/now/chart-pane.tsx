import { useMemo } from "react";
import { toColumns, type Series } from "@/components/health/metric-columns";
import NumberPlot from "@/components/plots/number-plot";
import type { Palette } from "@/components/plots/palette";
import { gutter } from "@/components/plots/plot-types";
import type { TimeAxis } from "@/components/plots/time-axis";
import { formatMetric } from "@/domain/health/meanings";
import type { MetricNow } from "../query";
import type { Window } from "../timeline-window";
import { toThresholds } from "./chart-data";

const none: readonly never[] = [];

interface ChartPaneProps {
  metric: MetricNow;
  series: Series;
  window: Window;
  axis: TimeAxis;
  palette: Palette;
  colour: string;
  height: number;
}

/** One metric over time: the mean with the band of least and greatest, or what a state was. */
export function ChartPane({ metric, series, window, axis, palette, colour, height }: ChartPaneProps) {
  const columns = useMemo(() => toColumns(series, window), [series, window]);
  const thresholds = useMemo(() => toThresholds(metric), [metric]);
  if (series.changes) return <States series={series} window={window} />;
  if (columns[0].length === 0)
    return (
      <p className="flex items-center justify-center text-table text-subtle" style={{ height }}>
        Nothing came in this time.
      </p>
    );
  return (
    <NumberPlot
      axis={axis}
      columns={columns}
      palette={palette}
      colour={colour}
      height={height}
      thresholds={thresholds}
      bands={none}
      marks={none}
      locked={null}
      times={false}
      label={`${metric.label} over time`}
    />
  );
}

function States({ series, window }: { series: Series; window: Window }) {
  const changes = series.changes ?? [];
  const length = window.to - window.from;
  return (
    <div
      role="img"
      aria-label={`${series.label} over time`}
      className="relative my-2 h-8 overflow-hidden border-y"
      style={{ marginLeft: gutter.left, marginRight: gutter.right }}
    >
      {changes.map(([at, value], n) => {
        const from = Math.max(window.from, Date.parse(at));
        const to = Math.min(window.to, Date.parse(changes[n + 1]?.[0] ?? "") || window.to);
        const text = formatMetric(value, series);
        return (
          <span
            key={at}
            title={text}
            className="absolute inset-y-0 flex items-center overflow-hidden border-l border-border-strong bg-hover px-1 text-meta whitespace-nowrap"
            style={{ left: `${(100 * (from - window.from)) / length}%`, width: `${(100 * (to - from)) / length}%` }}
          >
            {text}
          </span>
        );
      })}
    </div>
  );
}
