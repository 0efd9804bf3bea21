import { stepMs, toScale, type Series } from "@/components/health/metric-columns";
import type { Outputs } from "@/components/trpc/client";
import { formatMetric, type MetricBounds, type MetricKind } from "@/domain/health/meanings";
import type { Severity } from "@/domain/severity";
import type { Window } from "../timeline-window";

export type Timeline = Outputs["fleet"]["timeline"];
type Point = NonNullable<Series["points"]>[number];

export const ranges = { "24h": 86_400_000, "7d": 7 * 86_400_000, "30d": 30 * 86_400_000 } as const;
export type Range = keyof typeof ranges;
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
