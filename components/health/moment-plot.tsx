"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { lazyPart } from "@/components/kit/lazy-part";
import { Skeleton } from "@/components/kit/skeleton";
import { usePalette } from "@/components/plots/palette";
import { TimeAxis } from "@/components/plots/time-axis";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import { formatMetric } from "@/domain/health/meanings";
import type { Severity } from "@/domain/severity";
import { nsFromMs } from "@/domain/time/nanoseconds";
import { pointsDrawn, toColumns, toScale, type Series } from "./metric-columns";

const NumberPlot = lazyPart(async () => (await import("@/components/plots/number-plot")).default, {
  height: (props) => props.height,
});

const height = 168;
const none: readonly never[] = [];

/** How much of the time around a moment is shown, in milliseconds. */
const [before, after] = [45 * 60_000, 15 * 60_000];

interface MomentPlotProps {
  /** The uid of a device. */
  device: string;
  /** The name of a metric. */
  name: string;
  /** The moment, in milliseconds. */
  at: number;
  severity: Severity;
  /** What a rule compares the metric with, as it is sent. */
  thresholds: readonly number[];
  /** How long before the moment a condition had held, in milliseconds. */
  held: number;
}

/** A metric of a device in the hour around a moment, with the values of a rule. */
export function MomentPlot({ device, name, at, ...rest }: MomentPlotProps) {
  const trpc = useTRPC();
  const window = useMemo(() => ({ from: at - before, to: at + after }), [at]);
  const [since, until] = [new Date(window.from).toISOString(), new Date(window.to).toISOString()];
  const { data, error, refetch } = useQuery(
    trpc.health.series.queryOptions({ uid: device, names: name, since, until, points: pointsDrawn }),
  );
  if (error && !data)
    return <ErrorState error={error} title="The metric could not be loaded" onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-49" />;
  const series = data.names.find((each) => each.name === name);
  if (!series?.points?.length)
    return <p className="text-table text-muted">The heartbeats of that time are not kept any more.</p>;
  return <Drawn series={series} window={window} at={at} {...rest} />;
}

interface DrawnProps extends Omit<MomentPlotProps, "device" | "name"> {
  series: Series;
  window: { from: number; to: number };
}

function Drawn({ series, window, at, severity, thresholds, held }: DrawnProps) {
  const palette = usePalette();
  const axis = useMemo(
    () => new TimeAxis(nsFromMs(window.from), { from: 0, to: (window.to - window.from) / 1_000 }),
    [window],
  );
  const columns = useMemo(() => toColumns(series, window), [series, window]);
  const scale = toScale(series.kind);
  const unit = series.kind === "fraction" || series.kind === "percent" ? "%" : series.unit;
  const values = (series.points ?? []).flatMap(([, min, , max]) => [min, max]);
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => formatMetric(value, series));
  if (!palette) return <Skeleton className="h-49" />;
  return (
    <figure>
      <figcaption className="flex h-7 items-center gap-2 text-table">
        <span aria-hidden className="h-0.5 w-3 rounded-full bg-accent" />
        <span className="font-medium">{series.label}</span>
        {unit && <span className="text-subtle">in {unit}</span>}
      </figcaption>
      <NumberPlot
        axis={axis}
        columns={columns}
        palette={palette}
        colour={palette.accent}
        height={height}
        thresholds={thresholds.map((value) => ({
          value: value * scale,
          severity,
          label: `${severity} ${formatMetric(value, series)}`,
        }))}
        bands={held > 0 ? [{ fromNs: nsFromMs(at - held), toNs: nsFromMs(at), kind: "window" }] : none}
        marks={[{ atNs: nsFromMs(at), label: "Triggered", severity }]}
        locked={null}
        times
        label={`${series.label} in the hour around the alert, from ${least} to ${most}`}
      />
    </figure>
  );
}
