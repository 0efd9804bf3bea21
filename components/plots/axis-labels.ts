import { formatInstant } from "@/components/kit/format";
import { fractionDigits, msFromNs, nsPerDay, secondsFromNs } from "@/domain/time/nanoseconds";
import { tickStep, type TimeAxis } from "./time-axis";

/** Positions of the marks of an axis, in its seconds: round times of the clock (UTC), at most `max`. */
export function computeTicks(axis: TimeAxis, max: number): number[] {
  const { from, to } = axis.span;
  const step = tickStep(to - from, max);
  // The origin itself need not be round: ticks are counted from the start of its second.
  const rest = secondsFromNs(axis.origin % nsPerDay);
  const ticks: number[] = [];
  for (let at = Math.ceil((from + rest) / step); at * step - rest <= to && ticks.length < 100; at++)
    ticks.push(at * step - rest);
  return ticks;
}

/** The time of day of a moment, with as many digits as marks `step` seconds apart need. */
export function clockLabel(axis: TimeAxis, seconds: number, zone: string, step = 1): string {
  const ns = axis.ns(seconds);
  const text = formatInstant(msFromNs(ns), zone, "second").slice(11, 19);
  if (step >= 60) return text.slice(0, 5);
  if (step >= 1) return text;
  const digits = Math.min(9, Math.max(1, Math.ceil(-Math.log10(step) - 1e-9)));
  return `${text}.${fractionDigits(ns).slice(0, digits)}`;
}

/** The time of day of a moment to the millisecond. */
export const exactLabel = (axis: TimeAxis, seconds: number, zone: string): string =>
  clockLabel(axis, seconds, zone, 0.001);
