"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import Link from "next/link";
import { useEffect, useMemo, useState } from "react";
import { pointsDrawn, stepMs } from "@/components/health/metric-columns";
import { useNow } from "@/components/kit/clock";
import { cn } from "@/components/kit/cn";
import { Combobox } from "@/components/kit/combobox";
import { Dialog } from "@/components/kit/dialog";
import { formatInstant } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { useNarrow } from "@/components/kit/media-query";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { RadioGroup } from "@/components/kit/radio-group";
import { Skeleton } from "@/components/kit/skeleton";
import { Crosshair } from "@/components/plots/crosshair";
import { pickColours, usePalette } from "@/components/plots/palette";
import { TimeAxis } from "@/components/plots/time-axis";
import { ErrorState } from "@/components/product/error-state";
import { recordingHref } from "@/components/product/recording-links";
import { useTRPC } from "@/components/trpc/client";
import { nsFromMs } from "@/domain/time/nanoseconds";
import type { Device, DeviceNow, MetricNow } from "../query";
import type { Window } from "../timeline-window";
import { describeAt, ranges, spansAt, toSpans, type Range, type Spans } from "./chart-data";
import { ChartLanes, ChartTimes } from "./chart-lanes";
import { ChartPane } from "./chart-pane";
import { TimeCursor } from "./time-cursor";

/** About what a metric with all that may have happened takes: the dialog has its size from the first frame. */
const roomClass = "min-h-88 sm:min-h-100";
/** Metrics that are compared at once. */
const most = 4;
const options = [
  { value: "24h", label: "24 h" },
  { value: "7d", label: "7 d" },
  { value: "30d", label: "30 d" },
] as const;
/** The window ends with the minute that has begun: the last heartbeat is in it. */
const moveMs = 60_000;

interface ChartDialogProps {
  device: Device;
  now: DeviceNow;
  /** The metric that it was opened for. */
  first: string;
  onClose: () => void;
}

/** Metrics of a device over 24 hours, 7 or 30 days, below each other on one axis, with what happened meanwhile. */
export function ChartDialog({ device, now, first, onClose }: ChartDialogProps) {
  const [range, setRange] = useState<Range>("24h");
  const [names, setNames] = useState<readonly string[]>([first]);
  const end = useNow(moveMs) + moveMs;
  const window = useMemo((): Window => ({ from: end - ranges[range], to: end }), [end, range]);
  const chosen = names.flatMap((name) => now.metrics.find((metric) => metric.name === name) ?? []);
  const others = now.metrics.filter(({ name }) => !names.includes(name));
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title={chosen.length === 1 && chosen[0] ? chosen[0].label : "Metrics"}
      description={device.name}
    >
      {/* Takes the focus while the data come; the box to type in would open the keyboard of a phone. */}
      <div tabIndex={-1} data-first className="mb-3 flex flex-wrap items-center gap-3 outline-none">
        <RadioGroup
          layout="segments"
          aria-label="Period"
          options={options}
          value={range}
          onValueChange={(next) => setRange(next)}
        />
        {chosen.length < most && others.length > 0 && (
          <Combobox
            key={names.length}
            aria-label="Add a metric"
            placeholder="Add a metric"
            options={others.map(({ name, label }) => ({ value: name, label, hint: name }))}
            value={null}
            onValueChange={(name) => name !== null && setNames([...names, name])}
            className="w-52"
          />
        )}
      </div>
      <Charts
        uid={device.uid}
        metrics={chosen}
        window={window}
        onRemove={chosen.length > 1 ? (name) => setNames(names.filter((each) => each !== name)) : null}
      />
    </Dialog>
  );
}

interface ChartsProps {
  uid: string;
  metrics: readonly MetricNow[];
  window: Window;
  onRemove: ((name: string) => void) | null;
}

function Charts({ uid, metrics, window, onRemove }: ChartsProps) {
  const trpc = useTRPC();
  const { zone } = useTimeZone();
  const isNarrow = useNarrow();
  const palette = usePalette();
  const [from, to] = [new Date(window.from).toISOString(), new Date(window.to).toISOString()];
  const series = useQuery({
    ...trpc.health.series.queryOptions({
      ...{ uid, since: from, until: to, points: pointsDrawn },
      names: metrics.map(({ name }) => name).join(","),
    }),
    placeholderData: keepPreviousData,
  });
  const timeline = useQuery({
    ...trpc.fleet.timeline.queryOptions({ uid, from, to }),
    placeholderData: keepPreviousData,
  });
  const axis = useMemo(
    () => new TimeAxis(nsFromMs(window.from), { from: 0, to: (window.to - window.from) / 1_000 }),
    [window],
  );
  const [cursor, setCursor] = useState<number | null>(null);
  const at = cursor !== null && cursor >= window.from && cursor <= window.to ? cursor : null;
  useEffect(() => {
    if (at !== null) axis.play((at - window.from) / 1_000);
  }, [axis, at, window]);
  const spans = useMemo(() => (timeline.data ? toSpans(timeline.data, window.to) : null), [timeline.data, window]);
  if (series.error && !series.data)
    return (
      <ErrorState error={series.error} title="The metrics could not be loaded" onRetry={() => void series.refetch()} />
    );
  // Both at once, so that nothing moves when the second comes.
  if (!series.data || timeline.isPending || !palette) return <Skeleton className={roomClass} />;
  const known = metrics.map((metric) => ({
    metric,
    series: series.data.names.find(({ name }) => name === metric.name),
  }));
  const colours = pickColours(
    palette,
    metrics.map(({ name }) => name),
  );
  const readout = (time: number): string =>
    [
      formatInstant(time, zone, "minute"),
      ...known.map(
        ({ metric, series: own }) => `${metric.label} ${(own && describeAt(own, window, time)) ?? "not known"}`,
      ),
      ...(spans ? describeSpans(spans, time) : []),
    ].join("; ");
  const resolution = series.data.names[0]?.resolution ?? "raw";
  const height = metrics.length > 2 || isNarrow ? 96 : 140;
  return (
    <div className={cn("flex flex-col", roomClass)}>
      <Crosshair axis={axis} className="relative -mx-2">
        {known.map(({ metric, series: own }, n) => (
          <section key={metric.name} aria-label={metric.label}>
            <h3 className="flex h-7 items-center gap-2 px-2 text-table">
              <span aria-hidden className="h-0.5 w-3 rounded-full" style={{ background: colours[n] }} />
              <span className="shrink-0 font-medium">{metric.label}</span>
              <span className="min-w-0 truncate text-muted tabular-nums">
                {at === null ? (metric.text ?? "") : own ? (describeAt(own, window, at) ?? "not known") : ""}
              </span>
              {onRemove && (
                <IconButton
                  size="sm"
                  className="relative z-20 ml-auto"
                  label={`Remove ${metric.label}`}
                  icon={<X aria-hidden />}
                  onClick={() => onRemove(metric.name)}
                />
              )}
            </h3>
            {own ? (
              <ChartPane
                {...{ metric, series: own, window, axis, palette, height }}
                colour={colours[n] ?? palette.accent}
              />
            ) : (
              <Skeleton className="mx-2 h-24" />
            )}
          </section>
        ))}
        {spans && <ChartLanes spans={spans} window={window} />}
        <ChartTimes window={window} count={isNarrow ? 4 : 8} />
        <TimeCursor window={window} at={at} step={stepMs(window, resolution)} describe={readout} onMove={setCursor} />
      </Crosshair>
      <AtCursor at={at} spans={spans} />
    </div>
  );
}

/** Events are moments: those within five minutes are at the cursor. */
const nearMs = 300_000;

const describeSpans = (spans: Spans, at: number): string[] => [
  ...spansAt(spans.maintenance, at).map(({ text }) => text),
  ...spansAt(spans.alerts, at).map(({ text }) => `Alert ${text}`),
  ...spansAt(spans.events, at, nearMs).map(({ text }) => `Event ${text}`),
  ...spansAt(spans.recordings, at).map(({ text }) => `Recording ${text}`),
];

/** The time of the cursor, what lasts there, and the way to the recording that covers it. */
function AtCursor({ at, spans }: { at: number | null; spans: Spans | null }) {
  const { zone } = useTimeZone();
  const recording = at !== null && spans ? spansAt(spans.recordings, at)[0] : undefined;
  const happened = at !== null && spans ? describeSpans({ ...spans, recordings: [] }, at) : [];
  return (
    <div className="mt-auto min-h-16 border-t pt-2 text-table">
      {at === null ? (
        <p className="text-muted">Arrow keys or the pointer read out the values of a moment.</p>
      ) : (
        <>
          <p className="tabular-nums">{formatInstant(at, zone, "minute")}</p>
          {happened.length > 0 && <p className="line-clamp-2 text-muted">{happened.join(" · ")}</p>}
          {recording ? (
            <Link
              href={recordingHref(recording.uid, { t: new Date(at).toISOString() })}
              className="text-accent-text underline underline-offset-2"
            >
              Open {recording.text} at this moment
            </Link>
          ) : (
            <p className="text-subtle">No recording covers this moment.</p>
          )}
        </>
      )}
    </div>
  );
}
