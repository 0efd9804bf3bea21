"use client";

import { useEffect, useRef } from "react";
import { useLatest } from "@/components/kit/latest";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { exactLabel } from "./axis-labels";
import { pace, readableMs } from "./pace";
import { formatValue, lastAt, type Reading, type StateBand } from "./series-columns";
import type { TimeAxis } from "./time-axis";

export interface ReadoutProps {
  axis: TimeAxis;
  readings: readonly Reading[];
  states: readonly StateBand[] | null;
  unit?: string;
  /** Leaves out the time, where another readout shows it. */
  bare?: boolean;
}

/** The exact values below the pointer, else at the playhead. Written to the DOM, as it changes many times a second. */
export function Readout({ axis, readings, states, unit, bare = false }: ReadoutProps) {
  const host = useRef<HTMLSpanElement>(null);
  const { zone } = useTimeZone();
  const valueAt = (at: number): string => {
    if (states) return lastAt(states, at, (band) => band.from)?.value ?? "";
    const reading = lastAt(readings, at, (each) => each.at);
    if (!reading) return "";
    const value = `${formatValue(reading.last)}${unit ? ` ${unit}` : ""}`;
    return reading.count > 1 && reading.min !== reading.max
      ? `${value}  (${formatValue(reading.min)} to ${formatValue(reading.max)})`
      : value;
  };
  const write = useLatest(() => {
    if (!host.current) return;
    const at = axis.hover ?? axis.playhead;
    host.current.textContent =
      at === null ? "" : [bare ? "" : exactLabel(axis, at, zone), valueAt(at)].filter(Boolean).join("  ");
  });
  useEffect(() => {
    const { call, stop } = pace(write, readableMs);
    const unsubscribe = axis.subscribe(call);
    return () => {
      unsubscribe();
      stop();
    };
  }, [axis, write]);
  useEffect(write);
  return <span ref={host} className="truncate text-meta whitespace-pre tabular-nums text-foreground" />;
}
