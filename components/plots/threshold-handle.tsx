"use client";

import type { KeyboardEvent, PointerEvent } from "react";
import { gutter } from "./plot-types";
import { formatValue } from "./series-columns";

export interface ThresholdHandleProps {
  value: number;
  /** Position of the values on the plot. */
  scale: { min: number; max: number; top: number; height: number };
  unit?: string;
  /** What it is called where there may be several. */
  label?: string;
  onChange: (value: number) => void;
}

/** Rounds to three significant digits of the range, the precision of dragging. */
function rounded(value: number, range: number): number {
  const digits = Math.max(0, Math.min(12, 3 - Math.ceil(Math.log10(Math.max(range, 1e-9)))));
  return Number(value.toFixed(digits));
}

/** The handle of a threshold line: drag it, or use the arrow keys (with Shift in larger steps). */
export function ThresholdHandle({ value, scale, unit, label = "Threshold", onChange }: ThresholdHandleProps) {
  const range = scale.max - scale.min;
  const share = (scale.max - value) / Math.max(range, 1e-12);
  const y = scale.top + Math.min(1, Math.max(0, share)) * scale.height;
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    event.stopPropagation();
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const box = event.currentTarget.parentElement?.getBoundingClientRect();
    if (!box) return;
    const at = (event.clientY - box.top - scale.top) / scale.height;
    onChange(rounded(scale.max - Math.min(1, Math.max(0, at)) * range, range));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowUp: 1,
      ArrowRight: 1,
      ArrowDown: -1,
      ArrowLeft: -1,
      PageUp: 10,
      PageDown: -10,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onChange(rounded(value + (step * (event.shiftKey ? 10 : 1) * range) / 200, range));
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={value}
      aria-valuemin={Math.min(scale.min, value)}
      aria-valuemax={Math.max(scale.max, value)}
      aria-valuetext={`${formatValue(value)}${unit ? ` ${unit}` : ""}`}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
      className="absolute z-20 flex h-4 -translate-y-1/2 cursor-ns-resize touch-none items-center rounded-control -outline-offset-1!"
      style={{ top: y, left: gutter.left, right: gutter.right }}
    >
      <span className="h-4 rounded-control border border-border-strong bg-raised px-1 text-meta leading-3.5 tabular-nums">
        {formatValue(value)}
      </span>
    </div>
  );
}
