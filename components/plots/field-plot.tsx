"use client";

import { Suspense, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { lazyPart } from "@/components/kit/lazy-part";
import { Skeleton } from "@/components/kit/skeleton";
import { readFailure } from "@/components/product/failure";
import { PanelError } from "@/components/product/panel-error";
import { Crosshair } from "./crosshair";
import { pickColour, usePalette } from "./palette";
import type { Band, Mark, Threshold } from "./plot-types";
import { Readout } from "./readout";
import { toStateBands, toColumns, toReadings, type SeriesData } from "./series-columns";
import { SeriesTable } from "./series-table";
import { StatePlot } from "./state-plot";
import { ThresholdHandle } from "./threshold-handle";
import type { Span, TimeAxis } from "./time-axis";
import { useSeries } from "./use-series";

// The line plot's library is large; pages without one never fetch it.
const NumberPlot = lazyPart(async () => (await import("./number-plot")).default, { height: (props) => props.height });

export interface FieldPlotProps {
  axis: TimeAxis;
  recordingUid: string;
  topic: string;
  field: string;
  /** A value computed from fields, in place of one. */
  expression?: string;
  /** The visible range that data are fetched for; it follows the axis with a short delay. */
  fromNs: bigint;
  toNs: bigint;
  height: number;
  thresholds?: readonly Threshold[];
  bands?: readonly Band[];
  marks?: readonly Mark[];
  onThresholdChange?: (value: number) => void;
  unit?: string;
  times?: boolean;
  locked?: Span | null;
  /** Shows a table instead of the plot. */
  table?: boolean;
  /** Wraps the body, such as with the layer that handles the pointer; `isChart`: not where it says what went wrong. */
  surface?: (body: ReactNode, isChart: boolean) => ReactNode;
  /** Draws the line above; given the readout and the range of values now on screen. */
  head?: (parts: { readout: ReactNode; kind: "number" | "state" | null; range: Span | null }) => ReactNode;
}

type Scale = { min: number; max: number; top: number; height: number };

const none: readonly never[] = [];
const stateHeight = 44;

/** What is wrong with an expression itself; empty where it could not be read for another reason. */
const findFault = (error: unknown): string =>
  readFailure(error)
    .issues.filter(({ path }) => path[0] === "expression")
    .map(({ message }) => message)
    .join(" ");

/** One field on a given time axis: line and band for numbers, bands of states for text. */
export function FieldPlot(props: FieldPlotProps) {
  const {
    axis,
    recordingUid,
    topic,
    field,
    expression,
    height,
    thresholds = none,
    bands = none,
    marks = none,
    onThresholdChange,
  } = props;
  const draggable = onThresholdChange !== undefined;
  // The handle shows the value of the first line.
  const lines = useMemo(
    () => (draggable ? thresholds.map((line, at) => (at === 0 ? { ...line, label: "" } : line)) : thresholds),
    [draggable, thresholds],
  );
  const palette = usePalette();
  const query = useSeries({ recordingUid, topic, field, expression, fromNs: props.fromNs, toNs: props.toNs });
  const [scale, setScale] = useState<Scale | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  // Panning changes it with every frame; the overlay follows once panning stops.
  const applyScale = (next: Scale) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      setScale((before) =>
        before && before.min === next.min && before.max === next.max && before.height === next.height ? before : next,
      );
    }, 60);
  };
  const series: SeriesData | undefined = query.data;
  const columns = useMemo(() => (series?.kind === "number" ? toColumns(series, axis.origin) : null), [series, axis]);
  const readings = useMemo(() => (series?.kind === "number" ? toReadings(series, axis.origin) : none), [series, axis]);
  const states = useMemo(() => (series?.kind === "state" ? toStateBands(series, axis.origin) : null), [series, axis]);
  const unit = props.unit ?? series?.unit;
  const wrong = expression === undefined || !query.error ? "" : findFault(query.error);
  const path = expression ?? `${topic}.${field}`;
  const empty = series !== undefined && series.points.length === 0 && (states?.length ?? 0) === 0;
  const readout = series && !empty ? <Readout axis={axis} readings={readings} states={states} unit={unit} /> : null;
  const head = props.head?.({
    readout,
    kind: series?.kind ?? null,
    range: scale && { from: scale.min, to: scale.max },
  });

  let body: ReactNode;
  if (!palette) {
    // Nothing that is seen before the page knows its width: it would move.
    body = <div style={{ height }} />;
  } else if (wrong !== "" && !series) {
    // Trying again changes nothing. As high as the plot: what is below it must not move when this turns out.
    body = (
      <div
        role="alert"
        style={{ height }}
        className="flex flex-col items-center justify-center-safe overflow-y-auto px-4 text-center text-table"
      >
        <p className="font-medium">The expression could not be computed</p>
        <p className="text-muted">{wrong}</p>
      </div>
    );
  } else if (query.error && !series) {
    // As high as the plot: what is below it must not move when an expression turns out to be wrong.
    body = (
      <div style={expression === undefined ? undefined : { height }} className="overflow-y-auto">
        <PanelError
          error={query.error}
          title={expression === undefined ? `${path} could not be loaded` : "The expression could not be computed"}
          onRetry={() => void query.refetch()}
        />
      </div>
    );
  } else if (!series) {
    body = (
      <div style={{ height }} className="py-2">
        <Skeleton className="h-full" />
      </div>
    );
  } else if (empty) {
    body = (
      <p style={{ height: Math.min(height, 72) }} className="flex items-center justify-center text-table text-subtle">
        {expression === undefined ? "No data for this field here." : "This expression has no value here."}
      </p>
    );
  } else if (props.table) {
    body = <SeriesTable axis={axis} readings={readings} states={states} unit={unit} caption={`Values of ${path}`} />;
  } else if (states) {
    body = (
      <Crosshair axis={axis}>
        <StatePlot
          axis={axis}
          bands={states}
          height={Math.min(height, stateHeight)}
          label={`${path} over time, as bands of its values`}
        />
      </Crosshair>
    );
  } else if (columns) {
    const threshold = thresholds[0];
    body = (
      <Crosshair axis={axis}>
        <Suspense fallback={<div style={{ height }} />}>
          <NumberPlot
            axis={axis}
            columns={columns}
            palette={palette}
            colour={pickColour(palette, path)}
            height={height}
            thresholds={lines}
            bands={bands}
            marks={marks}
            locked={props.locked ?? null}
            times={props.times ?? false}
            label={`${path} over time`}
            onScale={applyScale}
          />
        </Suspense>
        {threshold && scale && onThresholdChange && (
          <ThresholdHandle value={threshold.value} scale={scale} unit={unit} onChange={onThresholdChange} />
        )}
      </Crosshair>
    );
  }
  return (
    <div className="min-w-0" aria-busy={query.isFetching || undefined}>
      {head}
      {props.surface ? props.surface(body, series !== undefined || query.error === null) : body}
    </div>
  );
}
