import { plural } from "@/components/kit/format";
import type { Outputs } from "@/components/trpc/client";
import { secondsFrom } from "./time-axis";

export type SeriesData = Outputs["recordings"]["series"] & {
  /** Where the line breaks, of a value whose holes are known: positions of points. */
  breaks?: readonly number[];
};

/**
 * A number field over time in columns, as the plot takes them: seconds, lowest, highest, last; nulls where data are
 * missing.
 */
export type Columns = [time: number[], low: (number | null)[], high: (number | null)[], line: (number | null)[]];

export interface Reading {
  at: number;
  min: number;
  max: number;
  last: number;
  count: number;
}

/** A field's value from `from` until `to`. `merged` counts the changes in it that are too short to draw. */
export interface StateBand {
  from: number;
  to: number;
  value: string;
  merged: number;
}

/** What a band says: its value, and how many changes in it are too short to draw. */
export const describeState = ({ value, merged }: StateBand): string =>
  (value === "" ? "(empty)" : value) + (merged > 0 ? ` (${plural(merged, "short change")})` : "");

/** The line breaks where the time to the next point exceeds this multiple of the median. */
const breakFactor = 8;

/** The median distance between points. */
function medianStep(times: readonly number[]): number {
  if (times.length < 3) return Number.POSITIVE_INFINITY;
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? time));
  return gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? Number.POSITIVE_INFINITY;
}

/** The points of a series in columns; the line breaks in its holes, or where no data came for long. */
export function toColumns(series: SeriesData, origin: bigint): Columns {
  const columns: Columns = [[], [], [], []];
  const times = series.points.map(([time]) => secondsFrom(origin, BigInt(time)));
  const maxGap = Math.max(medianStep(times) * breakFactor, 0.05);
  const breaks = series.breaks && new Set(series.breaks);
  series.points.forEach(([, min, max, , last], at) => {
    const time = times[at] ?? 0;
    const before = columns[0].at(-1);
    if (before !== undefined && (breaks ? breaks.has(at) : time - before > maxGap)) {
      columns[0].push((time + before) / 2);
      columns[1].push(null);
      columns[2].push(null);
      columns[3].push(null);
    }
    columns[0].push(time);
    columns[1].push(min);
    columns[2].push(max);
    columns[3].push(last);
  });
  return columns;
}

/** The points of a series one by one, for tables and readouts. */
export const toReadings = (series: SeriesData, origin: bigint): Reading[] =>
  series.points.map(([time, min, max, , last, count]) => ({
    at: secondsFrom(origin, BigInt(time)),
    min,
    max,
    last,
    count,
  }));

/** The states of a series as bands; the last one lasts until the end of the requested range. */
export function toStateBands(series: SeriesData, origin: bigint): StateBand[] {
  const states = series.states ?? [];
  const end = secondsFrom(origin, BigInt(series.to));
  return states.map(([time, value, merged], at) => {
    const next = states[at + 1];
    const from = secondsFrom(origin, BigInt(time));
    return {
      from,
      to: next ? secondsFrom(origin, BigInt(next[0])) : Math.max(end, from),
      value: String(value),
      merged,
    };
  });
}

/**
 * A number that stands for states, as bands: neighbours of the same value are one. A point of several values counts as a
 * change too short to draw, except where a value only takes the place of the one before. Null for numbers that are not
 * whole, unless `fractions` are states too.
 */
export function toNumberBands(series: SeriesData, origin: bigint, fractions = false): StateBand[] | null {
  const bands: StateBand[] = [];
  for (const [time, min, max, first, last] of series.points) {
    const isWhole = [min, max, first, last].every(Number.isInteger);
    if (!isWhole && !fractions) return null;
    // As many digits as a number of 32 bits has.
    const print = (each: number): string => String(isWhole ? each : Number(each.toPrecision(7)));
    const value = print(last);
    const from = secondsFrom(origin, BigInt(time));
    const before = bands.at(-1);
    const begins =
      first !== last && [first, last].includes(min) && [first, last].includes(max) && before?.value === print(first);
    const merged = min === max || begins ? 0 : 1;
    if (before?.value === value) {
      before.merged += merged;
      continue;
    }
    if (before) before.to = from;
    bands.push({ from, to: from, value, merged });
  }
  const end = secondsFrom(origin, BigInt(series.to));
  const final = bands.at(-1);
  if (final) final.to = Math.max(end, final.from);
  return bands;
}

/** The last item that begins at or before a moment. */
export function lastAt<T>(items: readonly T[], at: number, begin: (item: T) => number): T | undefined {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && begin(item) <= at) low = middle + 1;
    else high = middle;
  }
  return items[low - 1];
}

/** More digits behind the point no axis needs: longer numbers are written with an exponent. */
const maxTickDigits = 8;

/** The numbers of an axis, with as many digits as set them apart exactly. */
export function formatTicks(values: readonly number[]): string[] {
  const [first = 0, second = first] = values;
  const near = Math.abs(second - first) / 100;
  const isLong = values.some((value) => Math.abs(value) >= 1e7 || (value !== 0 && Math.abs(value) < 1e-4));
  const isExact = (digits: number) => values.every((value) => Math.abs(Number(value.toFixed(digits)) - value) < near);
  for (let digits = 0; !isLong && digits <= maxTickDigits; digits++)
    if (isExact(digits)) return values.map((value) => String(Number(value.toFixed(digits))).replace("-", "−"));
  return values.map(formatValue);
}

/** A number of a plot in few characters, with enough digits to distinguish neighbours. */
export function formatValue(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) return value.toExponential(3).replace("-", "−").replace("e−", "e-");
  const digits = size >= 1000 ? 1 : size >= 10 ? 2 : size >= 0.1 ? 3 : 5;
  return String(Number(value.toFixed(digits))).replace("-", "−");
}
