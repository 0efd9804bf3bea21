"use client";

import { useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { formatNumber } from "@/components/kit/format";
import { Input } from "@/components/kit/input";
import { numberText, openRange, parseNumber, type NumberRange } from "./filter-parts";
import { binsBetween, listBins, rangeOfBins, type RangeBin, type SplitRange } from "./range-bins";

interface RangeFacetProps {
  title: string;
  split: SplitRange;
  exact: boolean;
  chosen: NumberRange;
  onChange: (range: NumberRange) => void;
}

const digits = 6;

/** What some bins hold: `5 to 9: 12`. */
function describe(bins: readonly RangeBin[], exact: boolean): string {
  const [first, last] = [bins[0], bins.at(-1)];
  if (!first || !last) return "None";
  const count = bins.reduce((sum, bin) => sum + bin.count, 0);
  const ends = [...new Set([first.from, last.to])].map((end) => formatNumber(end, digits));
  return `${ends.join(" to ")}: ${exact ? "" : "≈ "}${formatNumber(count, 0)}`;
}

/** The numbers of a key: how often each range of them is there, of which one is dragged over, moved to or typed. */
export function RangeFacet({ title, split, exact, chosen, onChange }: RangeFacetProps) {
  // Either end may be typed first.
  const choose = ({ from, to }: NumberRange) =>
    onChange(from !== null && to !== null && from > to ? { from: to, to: from } : { from, to });
  const isOpen = chosen.from === null && chosen.to === null;
  return (
    <div className="flex flex-col gap-1.5">
      <Bars title={title} split={split} exact={exact} chosen={chosen} onChange={onChange} />
      <div className="flex items-center gap-1.5">
        <RangeEnd
          label={`${title}, from`}
          value={chosen.from}
          limit={split.min}
          onChange={(from) => choose({ ...chosen, from })}
        />
        <span aria-hidden className="text-meta text-subtle">
          to
        </span>
        <RangeEnd
          label={`${title}, to`}
          value={chosen.to}
          limit={split.max}
          onChange={(to) => choose({ ...chosen, to })}
        />
      </div>
      {!isOpen && (
        <Button variant="ghost" size="sm" className="self-start" onClick={() => onChange(openRange)}>
          Any {title}
        </Button>
      )}
    </div>
  );
}

function Bars({ title, split, exact, chosen, onChange }: RangeFacetProps) {
  const bars = listBins(split);
  const box = useRef<HTMLDivElement>(null);
  /** The bars that are dragged over or moved to. */
  const [span, setSpan] = useState<{ anchor: number; at: number } | null>(null);
  const dragging = useRef(false);
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const [low, high] = span
    ? [Math.min(span.anchor, span.at), Math.max(span.anchor, span.at)]
    : binsBetween(bars, chosen);
  const text = describe(bars.slice(low, high + 1), exact);
  const apply = ({ anchor, at }: { anchor: number; at: number }) => {
    setSpan(null);
    onChange(rangeOfBins(bars, Math.min(anchor, at), Math.max(anchor, at)));
  };
  const toIndex = (event: PointerEvent) => {
    const { left = 0, width = 1 } = box.current?.getBoundingClientRect() ?? {};
    return Math.max(0, Math.min(bars.length - 1, Math.floor(((event.clientX - left) / width) * bars.length)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const here = span?.at ?? Math.min(low, bars.length - 1);
    const next: Record<string, number> = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: bars.length - 1 };
    const to = next[event.key];
    if (to !== undefined) {
      const at = Math.max(0, Math.min(bars.length - 1, span ? to : event.shiftKey ? to : here));
      setSpan({ anchor: event.shiftKey ? (span?.anchor ?? here) : at, at });
    } else if (event.key === "Enter" && span) apply(span);
    else if (event.key === "Escape" && span) setSpan(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label={`${title}: arrows move, Shift extends, Enter narrows`}
      aria-valuemin={0}
      aria-valuemax={bars.length - 1}
      aria-valuenow={Math.min(span?.at ?? low, bars.length - 1)}
      aria-valuetext={text}
      className="relative flex h-14 cursor-crosshair touch-pan-y items-stretch gap-px border-b pt-4 select-none"
      onKeyDown={onKeyDown}
      onBlur={() => !dragging.current && setSpan(null)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        dragging.current = true;
        setSpan({ anchor: toIndex(event), at: toIndex(event) });
      }}
      onPointerMove={(event) => dragging.current && span && setSpan({ ...span, at: toIndex(event) })}
      onPointerUp={() => {
        if (dragging.current && span) apply(span);
        dragging.current = false;
      }}
      onPointerCancel={() => {
        dragging.current = false;
        setSpan(null);
      }}
    >
      {bars.map((bar, at) => {
        const isIn = at >= low && at <= high;
        return (
          <div
            key={bar.from}
            title={span ? undefined : describe([bar], exact)}
            className={cn("flex min-w-0 flex-1 flex-col justify-end", isIn && span && "bg-hover")}
          >
            {bar.count > 0 && (
              <div
                className={isIn ? "bg-accent" : "bg-border-strong"}
                style={{ height: `${(bar.count / most) * 100}%`, minHeight: 2 }}
              />
            )}
          </div>
        );
      })}
      {span && (
        <span aria-hidden className="pointer-events-none absolute inset-x-0 top-0 truncate text-meta tabular-nums">
          {text}
        </span>
      )}
    </div>
  );
}

const toText = (value: number | null): string => (value === null ? "" : numberText(value));

interface RangeEndProps {
  label: string;
  value: number | null;
  /** Where the numbers end, which is what no value means. */
  limit: number;
  onChange: (value: number | null) => void;
}

/** One end of a range as text. It is taken on Enter and where the box is left. */
function RangeEnd({ label, value, limit, onChange }: RangeEndProps) {
  const [text, setText] = useState(toText(value));
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    setShown(value);
    setText(toText(value));
  }
  const parsed = parseNumber(text);
  const isEmpty = text.trim() === "";
  const isWrong = parsed === null && !isEmpty;
  const take = () => {
    if (!isWrong && parsed !== value) onChange(parsed);
  };
  return (
    <Input
      aria-label={label}
      aria-invalid={isWrong || undefined}
      title={isWrong ? "A number with at most 15 digits, such as 1.5" : undefined}
      inputMode="decimal"
      autoComplete="off"
      placeholder={formatNumber(limit, digits)}
      value={text}
      className="h-7 min-w-0 px-1.5 tabular-nums"
      onValueChange={setText}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === "Enter") take();
      }}
    />
  );
}
