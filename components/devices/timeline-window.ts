"use client";

import { parseAsIsoDateTime, useQueryStates } from "nuqs";
import { useNow } from "@/components/kit/clock";

const day = 86_400_000;
const minSpanMs = 60_000;
const step = 5 * minSpanMs;
/** The longest range that the server accepts. */
const maxSpanMs = 90 * day;
const usualSpan = 7 * day;

export interface Window {
  from: number;
  to: number;
}

/** The visible time of a device's timeline: the last seven days, or the range in the address. */
export function useTimelineWindow() {
  const [{ from, to }, set] = useQueryStates({ from: parseAsIsoDateTime, to: parseAsIsoDateTime }, { history: "push" });
  // The end of the default window moves only occasionally, so that nothing slides below the pointer.
  const end = Math.ceil(useNow(step) / step) * step;
  const chosen = from !== null && to !== null && to > from;
  const window: Window = chosen ? { from: from.getTime(), to: to.getTime() } : { from: end - usualSpan, to: end };
  const show = (next: Window) => {
    const span = Math.min(Math.max(next.to - next.from, minSpanMs), maxSpanMs);
    const start = Math.round((next.from + next.to - span) / 2);
    void set({ from: new Date(start), to: new Date(start + span) });
  };
  return { window, chosen, show, reset: () => void set({ from: null, to: null }) };
}

/** Round times within a window for its axis, about `count` of them, on the clock of `offsetMs`. */
export function ticks({ from, to }: Window, count: number, offsetMs: number): number[] {
  const steps = [1, 5, 15, 30]
    .map((minutes) => minutes * 60_000)
    .concat(
      [1, 3, 6, 12].map((hours) => hours * 3_600_000),
      [1, 2, 7, 14].map((days) => days * day),
    );
  const length = steps.find((each) => (to - from) / each <= count) ?? 30 * day;
  const first = Math.ceil((from + offsetMs) / length) * length - offsetMs;
  return Array.from({ length: Math.max(0, Math.floor((to - first) / length) + 1) }, (_, at) => first + at * length);
}
