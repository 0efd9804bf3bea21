"use client";

import { useEffect, useState } from "react";
import type { Span, TimeAxis } from "@/components/plots/time-axis";

/** A value of the axis, updated after `ms` without a change and at least every second while it changes. */
function useDebounced<T>(axis: TimeAxis, ms: number, read: (axis: TimeAxis) => T): T {
  const [value, setValue] = useState(() => read(axis));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let waitingSince = 0;
    const stop = axis.subscribe(() => {
      const now = performance.now();
      waitingSince ||= now;
      if (timer && now - waitingSince > 1_000) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        timer = undefined;
        waitingSince = 0;
        setValue(read(axis));
      }, ms);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [axis, ms, read]);
  return value;
}

const getSpan = (axis: TimeAxis): Span => axis.span;
const getPlayhead = (axis: TimeAxis): number => axis.playhead ?? axis.bounds.from;

/** The visible range, for requests and the address. */
export const useDebouncedSpan = (axis: TimeAxis): Span => useDebounced(axis, 120, getSpan);

/** The playhead, for panels that follow it. */
export const useDebouncedPlayhead = (axis: TimeAxis, ms = 150): number => useDebounced(axis, ms, getPlayhead);
