import type { Columns } from "@/components/plots/series-columns";
import type { Outputs } from "@/components/trpc/client";
import { formatMetric, type MetricBounds, type MetricKind } from "@/domain/health/meanings";
import type { Severity } from "@/domain/severity";
import type { Window } from "../timeline-window";

export type Series = Outputs["health"]["series"]["names"][number];
export type Timeline = Outputs["fleet"]["timeline"];
type Point = NonNullable<Series["points"]>[number];

export const ranges = { "24h": 86_400_000, "7d": 7 * 86_400_000, "30d": 30 * 86_400_000 } as const;
export type Range = keyof typeof ranges;
/** Points of a series; heartbeats come every half a minute. */
export const pointsDrawn = 300;
const resolutionMs = { raw: 30_000, "5m": 300_000, "1h": 3_600_000 } as const;

/** The length of a step of a series (ms): of what was put together into a point. */
export const stepMs = ({ from, to }: Window, resolution: Series["resolution"]): number =>
  Math.max((to - from) / pointsDrawn, resolutionMs[resolution]);

/** Fractions are drawn as per cent. */
const toScale = (kind: MetricKind): number => (kind === "fraction" ? 100 : 1);

/** Points as a plot takes them, in seconds of its axis; the line breaks where nothing came for three steps. */
export function toColumns({ points = [], kind, resolution }: Series, window: Window): Columns {
  const scale = toScale(kind);
  const gap = (3 * stepMs(window, resolution)) / 1_000;
  const columns: Columns = [[], [], [], []];
  for (const [at, min, mean, max] of points) {
    const seconds = (Date.parse(at) - window.from) / 1_000;
    const before = columns[0].at(-1);
    if (before !== undefined && seconds - before > gap) {
      columns[0].push((seconds + before) / 2);
      for (const each of [columns[1], columns[2], columns[3]]) each.push(null);
    }
    columns[0].push(seconds);
    columns[1].push(min * scale);
    columns[2].push(max * scale);
    columns[3].push(mean * scale);
  }
  return columns;
}

/** The last item that begins at or before a time (ms); null for none. */
function lastBefore<T extends readonly [at: string, ...rest: unknown[]]>(items: readonly T[], at: number): T | null {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item && Date.parse(item[0]) <= at) low = middle + 1;
    else high = middle;
  }
  return items[low - 1] ?? null;
}

/** What a metric was at a time (ms): `35 %`, `35 %, from 34 % to 37 %`; null where nothing is known of it. */
export function describeAt(series: Series, window: Window, at: number): string | null {
  if (series.changes) {
    const change = lastBefore(series.changes, at);
    return change === null ? null : formatMetric(change[1], series);
  }
  const point: Point | null = lastBefore(series.points ?? [], at);
  if (point === null || at - Date.parse(point[0]) > 3 * stepMs(window, series.resolution)) return null;
  const [, min, mean, max] = point;
  const [low, middle, high] = [min, mean, max].map((value) => formatMetric(value, series));
  return low === high ? (middle ?? null) : `${middle}, from ${low} to ${high}`;
}

/** The bounds of a metric as lines of a plot. */
export function toThresholds(metric: { bounds: MetricBounds; kind: MetricKind; unit: string }) {
  const { bounds, kind } = metric;
  const lines: readonly (readonly [number | null, Severity])[] = [
    [bounds.warning_min, "warning"],
    [bounds.warning_max, "warning"],
    [bounds.critical_min, "critical"],
    [bounds.critical_max, "critical"],
  ];
  return lines.flatMap(([value, severity]) =>
    value === null
      ? []
      : [{ value: value * toScale(kind), severity, label: `${severity} ${formatMetric(value, metric)}` }],
  );
}

/** A span of time with what it was, in milliseconds. */
export interface Span {
  uid: string;
  from: number;
  to: number;
  text: string;
  severity?: Severity;
}

/** What happened in a window, by kind; alerts that are not resolved last until now. */
export function toSpans(timeline: Timeline, now: number) {
  const { recordings, states, alerts, events } = timeline;
  const end = (at: number) => Date.parse(states[at + 1]?.at ?? "") || now;
  return {
    recordings: recordings.map((each): Span => ({
      ...{ uid: each.uid, text: each.name || "Recording" },
      ...{ from: Date.parse(each.from), to: Date.parse(each.to) },
    })),
    maintenance: states.flatMap(({ status, reason, at }, n): Span[] =>
      status === "maintenance"
        ? [{ uid: at, from: Date.parse(at), to: end(n), text: reason ? `Maintenance, ${reason}` : "Maintenance" }]
        : [],
    ),
    alerts: alerts.map(({ uid, at, resolved_at, rule_name, severity }): Span => ({
      ...{ uid, severity, text: `${rule_name}, ${severity}` },
      ...{ from: Date.parse(at), to: resolved_at === null ? now : Date.parse(resolved_at) },
    })),
    events: events.map(({ uid, at, label, severity }): Span => ({
      ...{ uid, severity, text: label },
      ...{ from: Date.parse(at), to: Date.parse(at) },
    })),
  };
}
export type Spans = ReturnType<typeof toSpans>;

/** What lasts at a time; `nearMs` is how far from a moment still counts. */
export const spansAt = (spans: readonly Span[], at: number, nearMs = 0): Span[] =>
  spans.filter(({ from, to }) => at >= from - nearMs && at <= to + nearMs);
