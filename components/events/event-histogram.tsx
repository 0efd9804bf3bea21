"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Table2 } from "lucide-react";
import { useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { formatCompact, formatInstant, formatNumber, type Precision } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { Shape } from "@/components/kit/shape";
import { eventLooks, eventTypeOrder } from "@/components/product/event-type";
import { useTRPC } from "@/components/trpc/client";
import { msFromNs, nsPerDay, nsPerSecond, shortIsoFromNs } from "@/domain/time/nanoseconds";
import { toBars, type Bar, type Histogram } from "./histogram-grid";
import { HistogramTable } from "./histogram-table";
import { histogramInput } from "./query";

export interface EventHistogramProps {
  /** The filters as in the address. */
  values: Readonly<Record<string, string | null>>;
  /** Narrows the list to a range of time, or widens it to all of it. */
  onRange: (range: { since: string; until: string } | null) => void;
}

const height = 72;

/**
 * Events over time by type, for the same filters as the list below; dragging over it narrows the list to that range.
 */
export function EventHistogram({ values, onRange }: EventHistogramProps) {
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.events.histogram.queryOptions(histogramInput(values)),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
  const [table, setTable] = useState(false);
  const histogram = query.data ?? null;
  const bars = useMemo(() => (histogram ? toBars(histogram) : []), [histogram]);
  const narrowed = Boolean(values.since ?? values.until);
  if (query.error || (query.data === null && !narrowed)) return null;
  const totals = eventTypeOrder.flatMap((type) => {
    const count = bars.reduce((sum, bar) => sum + (bar.counts[type] ?? 0), 0);
    return count > 0 ? [[type, count] as const] : [];
  });
  return (
    <section aria-label="Events over time" className="shrink-0 border-b px-4 pt-2 pb-1.5 sm:px-6">
      <div className="flex min-h-7 flex-wrap items-center gap-x-4 gap-y-0.5 text-meta text-muted">
        {totals.map(([type, count]) => (
          <span key={type} className="flex items-center gap-1.5">
            <Shape name={eventLooks[type].shape} className={eventLooks[type].className} />
            {eventLooks[type].label}
            <span className="text-foreground tabular-nums">{formatCompact(count)}</span>
          </span>
        ))}
        {histogram && histogram.counted !== "exact" && <AccuracyNote histogram={histogram} />}
        <span className="ml-auto flex items-center gap-1">
          {narrowed && (
            <Button variant="ghost" size="sm" onClick={() => onRange(null)}>
              All time
            </Button>
          )}
          <IconButton
            label={table ? "Show as chart" : "Show as table"}
            size="sm"
            icon={<Table2 aria-hidden />}
            aria-pressed={table}
            onClick={() => setTable(!table)}
          />
        </span>
      </div>
      {histogram === null ? (
        <div style={{ height: height + 18 }} className="flex items-center text-meta text-subtle">
          {query.data === null && "No events in this range"}
        </div>
      ) : table ? (
        <HistogramTable bars={bars} types={totals.map(([type]) => type)} />
      ) : (
        <Bars key={`${histogram.from_ns} ${histogram.step_ns}`} histogram={histogram} bars={bars} onRange={onRange} />
      )}
    </section>
  );
}

function AccuracyNote({ histogram: { counted, share } }: { histogram: Histogram }) {
  return (
    <span className="text-subtle">
      {counted === "sampled"
        ? `Estimated from ${formatNumber(share * 100, share < 0.1 ? 1 : 0)} % of the time`
        : "The newest 20,000 that match"}
    </span>
  );
}

/** The precision that distinguishes the ends of buckets. */
const getPrecision = (stepNs: string): Precision =>
  BigInt(stepNs) >= nsPerDay
    ? "day"
    : BigInt(stepNs) >= 60_000_000_000n
      ? "minute"
      : BigInt(stepNs) >= nsPerSecond
        ? "second"
        : "millisecond";

function Bars({
  histogram,
  bars,
  onRange,
}: {
  histogram: Histogram;
  bars: readonly Bar[];
  onRange: EventHistogramProps["onRange"];
}) {
  const { zone } = useTimeZone();
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const [anchor, setAnchor] = useState<number | null>(null);
  const precision = getPrecision(histogram.step_ns);
  const max = Math.max(1, ...bars.map(({ total }) => total));
  const [low, high] = at === null ? [-1, -1] : [Math.min(at, anchor ?? at), Math.max(at, anchor ?? at)];

  const toIndex = (event: PointerEvent) => {
    const { left = 0, width = 1 } = box.current?.getBoundingClientRect() ?? {};
    return Math.max(0, Math.min(bars.length - 1, Math.floor(((event.clientX - left) / width) * bars.length)));
  };
  const apply = (from: number, to: number) => {
    const [first, last] = [bars[from], bars[to]];
    if (first && last) onRange({ since: shortIsoFromNs(first.fromNs), until: shortIsoFromNs(last.toNs) });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const here = at ?? bars.length - 1;
    const next: Record<string, number> = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: bars.length - 1 };
    const to = next[event.key];
    if (to !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      setAnchor(event.shiftKey ? (anchor ?? here) : null);
      setAt(Math.max(0, Math.min(bars.length - 1, to)));
    } else if (event.key === "Enter" && at !== null) {
      event.preventDefault();
      apply(low, high);
    } else if (event.key === "Escape") {
      setAt(null);
      setAnchor(null);
    }
  };
  const time = (ns: bigint) => formatInstant(msFromNs(ns), zone, precision);
  const description = at === null ? "No bucket chosen" : describeBars(bars.slice(low, high + 1), time);

  return (
    <div>
      <div
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label="Events over time: arrows move, Shift extends, Enter narrows the list"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, bars.length - 1)}
        aria-valuenow={at ?? 0}
        aria-valuetext={description}
        className="relative flex cursor-crosshair touch-pan-y items-stretch gap-px border-b select-none"
        style={{ height }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          setAt(null);
          setAnchor(null);
        }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setAnchor(toIndex(event));
          setAt(toIndex(event));
        }}
        onPointerMove={(event) => setAt(toIndex(event))}
        onPointerUp={() => {
          if (anchor !== null && at !== null) apply(low, high);
          setAnchor(null);
        }}
        onPointerCancel={() => setAnchor(null)}
        onPointerLeave={() => anchor === null && setAt(null)}
      >
        {bars.map((bar, index) => (
          <div
            key={String(bar.fromNs)}
            className={cn("flex min-w-0 flex-1 flex-col justify-end", index >= low && index <= high && "bg-hover")}
          >
            {[...eventTypeOrder].map((type) => {
              const count = bar.counts[type] ?? 0;
              if (count === 0) return null;
              return (
                <div
                  key={type}
                  className={eventLooks[type].className}
                  style={{ height: `${(count / max) * 100}%`, minHeight: 1, background: "currentColor" }}
                />
              );
            })}
          </div>
        ))}
        {at !== null && (
          <div
            aria-hidden
            className={cn(
              "pointer-events-none absolute top-0 z-10 rounded-control border bg-raised px-1.5 py-0.5 text-meta whitespace-nowrap shadow-float tabular-nums",
              (low + high) / 2 > bars.length / 2 ? "left-0" : "right-0",
            )}
          >
            {description}
          </div>
        )}
      </div>
      <div aria-hidden className="flex justify-between text-meta leading-4.5 text-subtle tabular-nums">
        <span>{time(BigInt(histogram.from_ns))}</span>
        <span className="max-sm:hidden">max {formatNumber(max)}</span>
        <span>{time(BigInt(histogram.to_ns))}</span>
      </div>
    </div>
  );
}

function describeBars(bars: readonly Bar[], time: (ns: bigint) => string): string {
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) return "";
  const counts = eventTypeOrder.flatMap((type) => {
    const count = bars.reduce((sum, bar) => sum + (bar.counts[type] ?? 0), 0);
    return count > 0
      ? [`${formatNumber(count)} ${count === 1 ? eventLooks[type].label.toLowerCase() : eventLooks[type].plural}`]
      : [];
  });
  return `${time(first.fromNs)} to ${time(last.toNs)}: ${counts.join(", ") || "none"}`;
}
