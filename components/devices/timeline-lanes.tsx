"use client";

import { useRouter } from "next/navigation";
import { useRef, useState, type PointerEvent, type ReactNode } from "react";
import { useNow } from "@/components/kit/clock";
import { cn } from "@/components/kit/cn";
import { formatInstant, zoneOffset } from "@/components/kit/format";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { Shape, type ShapeName } from "@/components/kit/shape";
import { recordingHref } from "@/components/product/recording-links";
import { Status } from "@/components/product/status";
import type { Outputs } from "@/components/trpc/client";
import { maxDrawn } from "@/domain/limits";
import { exactIsoFromNs } from "@/domain/time/nanoseconds";
import { ticks, type Window } from "./timeline-window";

export type Timeline = Outputs["fleet"]["timeline"];

const stateFills = { online: "bg-online", offline: "bg-offline", maintenance: "bg-maintenance" } as const;
const stateHeights = { online: "h-1.5", offline: "h-0.5", maintenance: "h-3" } as const;
export const eventLooks: Record<string, { shape: ShapeName; colour: string }> = {
  error: { shape: "cross", colour: "text-critical" },
  warning: { shape: "triangle", colour: "text-warning" },
  info: { shape: "disc", colour: "text-info" },
  state_change: { shape: "diamond", colour: "text-maintenance" },
  anomaly: { shape: "star", colour: "text-error" },
  custom: { shape: "square", colour: "text-subtle" },
};

/** A label that begins after this share of the axis would be cut off: it ends at its line instead. */
const lastLabelShare = 0.86;

/**
 * Lanes under one axis: recordings, connectivity, alerts, events. Dragging across them chooses a time; a mark opens
 * what it is.
 */
export function TimelineLanes({
  timeline,
  window,
  onBrush,
}: {
  timeline: Timeline;
  window: Window;
  onBrush: (next: Window) => void;
}) {
  const { zone } = useTimeZone();
  const router = useRouter();
  const area = useRef<HTMLDivElement>(null);
  const [brush, setBrush] = useState<{ start: number; end: number } | null>(null);
  const span = window.to - window.from;
  const place = (at: number) => `${(100 * Math.max(0, Math.min(1, (at - window.from) / span))).toFixed(3)}%`;
  const length = (from: number, to: number) =>
    `${((100 * (Math.min(to, window.to) - Math.max(from, window.from))) / span).toFixed(3)}%`;
  const within = (at: number) => at >= window.from && at <= window.to;
  const time = (text: string) => formatInstant(Date.parse(text), zone, "second");
  const offset = zoneOffset(window.to, zone);

  const share = (event: PointerEvent): number => {
    const box = area.current?.getBoundingClientRect();
    return box ? Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) : 0;
  };
  const end = () => {
    if (brush && Math.abs(brush.end - brush.start) > 0.01) {
      const [low, high] = [Math.min(brush.start, brush.end), Math.max(brush.start, brush.end)];
      onBrush({ from: Math.round(window.from + low * span), to: Math.round(window.from + high * span) });
    }
    setBrush(null);
  };
  const go = (href: string) => ({
    href,
    draggable: false,
    onClick: (event: React.MouseEvent) => {
      if (event.metaKey || event.ctrlKey) return;
      event.preventDefault();
      router.push(href);
    },
  });
  // The last state lasts until now, not to the end of the axis.
  const now = useNow(60_000);
  const states = timeline.states.map((state, at) => ({
    ...state,
    from: Date.parse(state.at),
    to: Date.parse(
      timeline.states[at + 1]?.at ?? new Date(Math.min(window.to, Math.max(window.from, now))).toISOString(),
    ),
  }));

  return (
    <div className="border-y">
      <div className="grid grid-cols-[5.5rem_minmax(0,1fr)] text-meta sm:grid-cols-[7rem_minmax(0,1fr)]">
        <div className="flex flex-col text-muted">
          {["Recordings", "Connectivity", "Alerts", "Events"].map((name) => (
            <span key={name} className="flex h-9 items-center border-b">
              {name}
            </span>
          ))}
        </div>
        <div
          ref={area}
          className="relative cursor-crosshair touch-pan-y select-none"
          onPointerDown={(event) => {
            if (event.button !== 0 || (event.target as HTMLElement).closest("a")) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            setBrush({ start: share(event), end: share(event) });
          }}
          onPointerMove={(event) => brush && setBrush({ ...brush, end: share(event) })}
          onPointerUp={end}
          onPointerCancel={() => setBrush(null)}
        >
          {ticks(window, 8, offset).map((at) => (
            <span key={at} aria-hidden className="absolute inset-y-0 border-l" style={{ left: place(at) }} />
          ))}
          <Lane>
            {timeline.recordings.map((recording) => {
              const [from, to] = [Date.parse(recording.from), Date.parse(recording.to)];
              const failed = recording.status === "error";
              return (
                <a
                  key={recording.uid}
                  {...go(recordingHref(recording.uid))}
                  title={`${recording.name || recording.uid}\n${time(recording.from)}`}
                  aria-label={`Recording ${recording.name || recording.uid}, ${time(recording.from)}${failed ? ", failed" : ""}`}
                  style={{ left: place(from), width: length(from, to) }}
                  className={cn(
                    "absolute top-2 h-5 min-w-1.5 rounded-control hover:brightness-110",
                    failed
                      ? "border-2 border-critical bg-surface"
                      : recording.open_alerts > 0
                        ? "bg-accent ring-1 ring-critical ring-offset-1 ring-offset-surface"
                        : "bg-accent",
                  )}
                />
              );
            })}
          </Lane>
          <Lane>
            {states.map((state) => (
              <span
                key={`${state.at} ${state.status}`}
                role="img"
                aria-label={`${state.status} from ${time(state.at)}${state.reason ? `: ${state.reason}` : ""}`}
                title={`${state.status}${state.reason ? `: ${state.reason}` : ""}\nfrom ${time(state.at)}`}
                style={{ left: place(state.from), width: length(state.from, state.to) }}
                className={cn(
                  "absolute top-1/2 -translate-y-1/2",
                  stateFills[state.status],
                  stateHeights[state.status],
                )}
              />
            ))}
          </Lane>
          <Lane>
            {timeline.alerts
              .filter((alert) => within(Date.parse(alert.at)))
              .map((alert) => (
                <a
                  key={alert.uid}
                  {...go(`/alerts/${alert.uid}`)}
                  title={`${alert.rule_name}: ${alert.severity}, ${alert.status}\n${time(alert.at)}`}
                  aria-label={`Alert of ${alert.rule_name}, ${alert.severity}, ${alert.status}, ${time(alert.at)}`}
                  style={{ left: place(Date.parse(alert.at)) }}
                  className={cn(
                    "absolute top-1/2 flex size-5 -translate-1/2 items-center justify-center rounded-control hover:bg-selected",
                    alert.status === "resolved" && "opacity-60",
                  )}
                >
                  <Status tone={alert.severity} hideLabel />
                </a>
              ))}
          </Lane>
          <Lane>
            {timeline.events
              .filter((event) => within(Date.parse(event.at)))
              .map((event) => {
                const look = eventLooks[event.type] ?? eventLooks.custom;
                return (
                  <a
                    key={event.uid}
                    {...go(recordingHref(event.recording_id, { t: exactIsoFromNs(BigInt(event.ns)) }))}
                    title={`${event.label} (${event.type.replace("_", " ")})\n${time(event.at)}`}
                    aria-label={`Event ${event.label}, ${event.type.replace("_", " ")}, ${time(event.at)}`}
                    style={{ left: place(Date.parse(event.at)) }}
                    className="absolute top-1/2 flex size-5 -translate-1/2 items-center justify-center rounded-control hover:bg-selected"
                  >
                    <Shape name={look?.shape ?? "square"} className={look?.colour} />
                  </a>
                );
              })}
          </Lane>
          {brush && (
            <span
              aria-hidden
              className="absolute inset-y-0 border-x border-accent bg-accent/15"
              style={{
                left: `${100 * Math.min(brush.start, brush.end)}%`,
                width: `${100 * Math.abs(brush.end - brush.start)}%`,
              }}
            />
          )}
        </div>
        <span />
        <div aria-hidden className="relative h-6 overflow-hidden text-subtle tabular-nums">
          {ticks(window, 8, offset).map((at, n) => (
            <span
              key={at}
              className={cn(
                "absolute top-1 whitespace-nowrap",
                // On a phone it would stand against the one before.
                (at - window.from) / span > lastLabelShare ? "-translate-x-full pr-1 max-sm:hidden" : "pl-1",
                n % 2 === 1 && "max-sm:hidden",
              )}
              style={{ left: place(at) }}
            >
              {tickText(at, span, zone)}
            </span>
          ))}
        </div>
      </div>
      {timeline.capped && (
        <p className="border-t py-1.5 text-meta text-subtle">
          Only the newest {maxDrawn} of a kind are drawn. Choose a shorter period to see all.
        </p>
      )}
    </div>
  );
}

const Lane = ({ children }: { children: ReactNode }) => (
  <div className="relative h-9 overflow-hidden border-b">{children}</div>
);

/** The label of a round time: its day where a window is long. */
export function tickText(at: number, span: number, zone: string): string {
  const [day = "", clock = ""] = formatInstant(at, zone, "minute").split(" ");
  return span > 3 * 86_400_000 ? day.slice(5) : clock === "00:00" ? day.slice(5) : clock;
}
