import { cn } from "@/components/kit/cn";
import { zoneOffset } from "@/components/kit/format";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { gutter } from "@/components/plots/plot-types";
import { StatusMark } from "@/components/product/status";
import type { Severity } from "@/domain/severity";
import { tickText } from "../timeline-lanes";
import { ticks, type Window } from "../timeline-window";
import type { Span, Spans } from "./chart-data";

/** Within the gutters of plots, so that times lie below each other. */
const sides = { marginLeft: gutter.left, marginRight: gutter.right };

const fills: Readonly<Record<Severity, string>> = {
  critical: "bg-critical/40",
  error: "bg-error/40",
  warning: "bg-warning/40",
  info: "bg-info/40",
};

/** What happened while a metric was measured, a band a kind, below the plots. */
export function ChartLanes({ spans, window }: { spans: Spans; window: Window }) {
  const lanes: readonly (readonly [string, readonly Span[], string])[] = [
    ["Recordings", spans.recordings, "bg-accent/60"],
    ["Maintenance", spans.maintenance, "bg-maintenance/60"],
    ["Alerts", spans.alerts, ""],
    ["Events", spans.events, ""],
  ];
  const shown = lanes
    .map(
      ([name, own, fill]) =>
        [name, own.filter(({ from, to }) => to >= window.from && from <= window.to), fill] as const,
    )
    .filter(([, own]) => own.length > 0);
  const length = window.to - window.from;
  const share = (at: number) => 100 * Math.min(1, Math.max(0, (at - window.from) / length));
  return (
    <>
      {shown.map(([name, own, fill]) => (
        <div key={name} className="mt-1.5" style={sides}>
          <p className="text-meta text-muted">
            {name} <span className="text-subtle tabular-nums">{own.length}</span>
          </p>
          <div aria-hidden className="relative h-4 overflow-hidden border-b">
            {own.map(({ uid, from, to, severity }) => (
              <span
                key={uid}
                className={cn("absolute inset-y-0.5 min-w-0.5", severity ? fills[severity] : fill)}
                style={{ left: `${share(from)}%`, width: `${share(to) - share(from)}%` }}
              />
            ))}
            {own.map(({ uid, from, severity }) =>
              severity && from >= window.from ? (
                <span
                  key={uid}
                  className="absolute inset-y-0 flex -translate-x-1/2 items-center"
                  style={{ left: `${share(from)}%` }}
                >
                  <StatusMark tone={severity} />
                </span>
              ) : null,
            )}
          </div>
        </div>
      ))}
    </>
  );
}

/** The times of plots and lanes above it. */
export function ChartTimes({ window, count }: { window: Window; count: number }) {
  const { zone } = useTimeZone();
  const length = window.to - window.from;
  return (
    <div aria-hidden className="relative h-5 text-meta text-subtle tabular-nums" style={sides}>
      {ticks(window, count, zoneOffset(window.to, zone)).map((at) => {
        const share = (at - window.from) / length;
        return (
          <span
            key={at}
            className={cn(
              "absolute top-1 whitespace-nowrap",
              share > 0.9 ? "-translate-x-full" : share > 0.04 && "-translate-x-1/2",
            )}
            style={{ left: `${100 * share}%` }}
          >
            {tickText(at, length, zone)}
          </span>
        );
      })}
    </div>
  );
}
