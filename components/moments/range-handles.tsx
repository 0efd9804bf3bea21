"use client";

import { Button } from "@/components/kit/button";
import { formatDuration } from "@/components/kit/format";
import { nsPerMs } from "@/domain/time/nanoseconds";
import type { RangeSource } from "./source";

const step = 5_000_000_000n;

type Range = Pick<RangeSource, "from" | "to">;

const thumbs =
  "pointer-events-none absolute inset-0 m-0 w-full appearance-none bg-transparent " +
  "[&::-webkit-slider-thumb]:pointer-events-auto [&::-moz-range-thumb]:pointer-events-auto " +
  "[&::-webkit-slider-thumb]:h-5 [&::-webkit-slider-thumb]:w-2 [&::-webkit-slider-thumb]:appearance-none " +
  "[&::-webkit-slider-thumb]:rounded-control [&::-webkit-slider-thumb]:bg-accent [&::-webkit-slider-thumb]:cursor-ew-resize " +
  "[&::-moz-range-thumb]:h-5 [&::-moz-range-thumb]:w-2 [&::-moz-range-thumb]:rounded-control [&::-moz-range-thumb]:border-0 " +
  "[&::-moz-range-thumb]:bg-accent";

/** Where a range begins and ends, on a small axis around it. */
export function RangeHandles({
  source: { bounds, marked },
  range,
  setRange,
}: {
  source: RangeSource;
  range: Range;
  setRange: (range: Range) => void;
}) {
  const [from, to] = [range.from < bounds.from ? range.from : bounds.from, range.to > bounds.to ? range.to : bounds.to];
  const length = Number(to - from) || 1;
  const share = (ns: bigint) => `${(Number(ns - from) / length) * 100}%`;
  const toMs = (ns: bigint) => Number((ns - from) / nsPerMs);
  const most = toMs(to);
  const set = (side: "from" | "to", value: bigint) => {
    const next = { ...range, [side]: value };
    if (next.from <= next.to) setRange(next);
  };
  const offset = (ns: bigint) => {
    const at = Number(ns - (marked?.from ?? from)) / 1e9;
    return `${at < 0 ? "−" : "+"}${Math.abs(at).toFixed(1)} s`;
  };
  const slider = (side: "from" | "to", label: string) => (
    <input
      type="range"
      aria-label={label}
      aria-valuetext={offset(range[side])}
      min={0}
      max={most}
      step={100}
      value={toMs(range[side])}
      onChange={(event) => set(side, from + BigInt(Math.round(event.target.valueAsNumber)) * nsPerMs)}
      className={thumbs}
    />
  );
  return (
    <div>
      <div className="relative h-5">
        <div className="absolute inset-x-0 top-2 h-1 rounded-full bg-border" />
        {marked && (
          <div
            className="absolute top-0.5 h-4 min-w-0.5 rounded-control bg-warning/60"
            style={{ left: share(marked.from), width: `${(Number(marked.to - marked.from) / length) * 100}%` }}
          />
        )}
        <div
          className="absolute top-1.5 h-2 rounded-control bg-accent/30"
          style={{ left: share(range.from), width: `${(Number(range.to - range.from) / length) * 100}%` }}
        />
        {slider("from", "Start")}
        {slider("to", "End")}
      </div>
      <div className="mt-1.5 flex items-center justify-between gap-2 text-meta text-muted">
        <Button size="sm" onClick={() => set("from", range.from - step)}>
          −5 s
        </Button>
        <span className="tabular-nums">
          {offset(range.from)} to {offset(range.to)}, {formatDuration(Number(range.to - range.from) / 1e6)}
        </span>
        <Button size="sm" onClick={() => set("to", range.to + step)}>
          +5 s
        </Button>
      </div>
    </div>
  );
}
