"use client";

import { Table2, X } from "lucide-react";
import { Suspense, useMemo, useState, useSyncExternalStore } from "react";
import { IconButton } from "@/components/kit/icon-button";
import { lazyPart } from "@/components/kit/lazy-part";
import { Skeleton } from "@/components/kit/skeleton";
import { TruncateMiddle } from "@/components/kit/truncate";
import { ChartSurface } from "@/components/plots/chart-surface";
import { pickColour, usePalette } from "@/components/plots/palette";
import { gutter } from "@/components/plots/plot-types";
import { toStateBands, type SeriesData, type StateBand } from "@/components/plots/series-columns";
import { StatePlot } from "@/components/plots/state-plot";
import type { TimeAxis } from "@/components/plots/time-axis";
import { useSeries } from "@/components/plots/use-series";
import { ErrorState } from "@/components/product/error-state";
import { toExpression } from "@/components/recording/plot/plot-entry";
import { useDebouncedSpan } from "@/components/recording/session/debounced";
import type { Timeline } from "@/components/recording/session/timeline-context";
import { parsePath } from "@/components/recording/session/topic-path";
import { subtractLines } from "@/engine/signals/difference";
import { moveLine } from "@/engine/signals/line";
import type { Letter } from "./compared-letter";
import { CorrelateButton } from "./correlate-button";
import type { LinkedAxes } from "./linked-axes";
import { PairReadout } from "./pair-readout";
import { PairTable } from "./pair-table";
import { toLines } from "./series-lines";

const LinesPlot = lazyPart(async () => (await import("@/components/plots/lines-plot")).default, {
  height: (props) => props.height,
});

const plotHeight = 132;
const captionHeight = 20;
const differenceHeight = 84;
type Side = Pick<Timeline, "recording" | "axis">;

/** Points requested of each recording. */
const points = 2_000;

/** The values of a field of one recording over what is visible. */
function useSide({ recording, axis }: Side, path: string) {
  const span = useDebouncedSpan(axis);
  const expression = toExpression(path);
  const found = useMemo(() => parsePath(path, recording.topics), [path, recording.topics]);
  const isKnown = found !== null || expression !== null;
  const query = useSeries({
    recordingUid: recording.uid,
    topic: found?.topic ?? "",
    field: found?.field ?? "",
    ...(expression !== null && { expression }),
    fromNs: axis.ns(span.from),
    toNs: axis.ns(span.to),
    points,
    enabled: isKnown,
  });
  const data: SeriesData | undefined = query.data;
  const { line, drawn } = useMemo(() => toLines(data, axis.origin), [data, axis]);
  const states = useMemo(() => (data?.kind === "state" ? toStateBands(data, axis.origin) : null), [data, axis]);
  return { isKnown, query, data, line, drawn, states };
}

interface ComparePlotProps {
  path: string;
  a: Side;
  b: Side;
  axes: LinkedAxes;
  left: number;
  onRemove: () => void;
  /** Aligns B so that its line of this field fits that of A. */
  onShift: (shiftMs: number) => void;
  /** Where B begins by the alignment alone, in seconds from the beginning of A. */
  aligned: number;
}

/** A field of both recordings over each other, and below how far B is above A. */
export function ComparePlot({ path, a, b, axes, left, onRemove, onShift, aligned }: ComparePlotProps) {
  const palette = usePalette();
  const offset = useSyncExternalStore(
    axes.subscribe,
    () => axes.offset,
    () => axes.offset,
  );
  const [isTable, setTable] = useState(false);
  const [first, second] = [useSide(a, path), useSide(b, path)];
  const moved = useMemo(() => moveLine(second.line, offset), [second.line, offset]);
  const difference = useMemo(() => subtractLines(first.line, moved), [first.line, moved]);
  const lines = useMemo(
    () =>
      palette && {
        palette,
        both: [
          { line: first.drawn, colour: pickColour(palette, path) },
          { line: moveLine(second.drawn, offset), colour: palette.foreground, isDashed: true },
        ],
        difference: [{ line: difference, colour: palette.muted }],
      },
    [palette, path, first.drawn, second.drawn, offset, difference],
  );
  const unit = first.data?.unit ?? second.data?.unit;
  const isNumber = first.data?.kind === "number" && second.data?.kind === "number";
  const isJoined = [first, second].some(({ data }) => data?.points.some((point) => point[5] > 1));
  const missing = [
    ...(first.isKnown ? [] : ["A has no such field."]),
    ...(second.isKnown ? [] : ["B has no such field."]),
    ...(first.states !== null && second.data?.kind === "number" ? ["It is a text in A and a number in B."] : []),
    ...(second.states !== null && first.data?.kind === "number" ? ["It is a number in A and a text in B."] : []),
  ];
  const failed = [first, second].find(({ query }) => query.error !== null && query.data === undefined)?.query;
  const isLoading = [first, second].some(({ isKnown, data }) => isKnown && data === undefined);
  const pad = { paddingLeft: left - gutter.left };
  return (
    <section aria-label={path} className="border-b py-1" aria-busy={isLoading || undefined}>
      <div className="flex min-h-7 min-w-0 flex-wrap items-center gap-x-3 pr-3 pl-4 max-sm:pl-2">
        <h3 className="min-w-0 font-mono text-meta max-sm:flex-1">
          <TruncateMiddle text={path} tail={20} />
        </h3>
        {/* A line of its own where the buttons would leave it none. */}
        <span className="flex min-w-0 flex-1 max-sm:order-last max-sm:basis-full">
          {isNumber && <PairReadout axis={axes.a} a={first.line} b={moved} unit={unit} />}
        </span>
        {isNumber && <CorrelateButton path={path} a={first.line} b={second.line} aligned={aligned} onShift={onShift} />}
        <IconButton
          size="sm"
          label={isTable ? "Show as plot" : "Show as table"}
          aria-pressed={isTable}
          disabled={!isNumber}
          icon={<Table2 aria-hidden />}
          onClick={() => setTable(!isTable)}
        />
        <IconButton size="sm" label={`Remove ${path}`} icon={<X aria-hidden />} onClick={onRemove} />
      </div>
      {missing.map((text) => (
        <p key={text} className="px-4 py-1 text-meta text-muted max-sm:px-2">
          {text}
        </p>
      ))}
      {failed ? (
        <ErrorState
          error={failed.error}
          title={`${path} could not be loaded`}
          onRetry={() => void failed.refetch()}
          className="py-4"
        />
      ) : isLoading || !lines ? (
        <div style={{ height: plotHeight + captionHeight + differenceHeight }} className="p-2">
          <Skeleton className="h-full" />
        </div>
      ) : isTable && isNumber ? (
        <div style={pad}>
          <PairTable axis={axes.a} a={first.line} b={moved} unit={unit} caption={`Values of ${path} in A and B`} />
        </div>
      ) : first.states !== null || second.states !== null ? (
        <>
          {first.states && <StateRow letter="A" axis={a.axis} bands={first.states} path={path} left={left} />}
          {second.states && <StateRow letter="B" axis={b.axis} bands={second.states} path={path} left={left} />}
        </>
      ) : (
        <ChartSurface axis={axes.a} left={left} drag="pan">
          <div style={pad}>
            <Suspense fallback={<div style={{ height: plotHeight }} />}>
              <LinesPlot
                axis={axes.a}
                lines={lines.both}
                palette={lines.palette}
                height={plotHeight}
                label={`${path} over time: A solid, B dashed`}
              />
            </Suspense>
            {isNumber && (
              <>
                <p className="flex h-5 gap-x-3 overflow-hidden pl-14 text-meta whitespace-nowrap text-muted">
                  B − A{unit ? `, ${unit}` : ""}
                  {isJoined && (
                    <span className="text-subtle">of points that join several samples; zoom in for each</span>
                  )}
                </p>
                <Suspense fallback={<div style={{ height: differenceHeight }} />}>
                  <LinesPlot
                    axis={axes.a}
                    lines={lines.difference}
                    palette={lines.palette}
                    height={differenceHeight}
                    label={`How far B is above A in ${path}, over time`}
                  />
                </Suspense>
              </>
            )}
          </div>
        </ChartSurface>
      )}
    </section>
  );
}

interface StateRowProps {
  letter: Letter;
  axis: TimeAxis;
  bands: readonly StateBand[];
  path: string;
  left: number;
}

/** The states of a field in one of the recordings. */
function StateRow({ letter, axis, bands, path, left }: StateRowProps) {
  return (
    <ChartSurface axis={axis} left={left} drag="pan">
      <div className="flex items-center" style={{ paddingLeft: left - gutter.left }}>
        <span className="w-0 pl-1 text-meta text-muted">{letter}</span>
        <div className="min-w-0 flex-1">
          <StatePlot axis={axis} bands={bands} height={36} label={`${path} in ${letter}, as bands of its values`} />
        </div>
      </div>
    </ChartSurface>
  );
}
