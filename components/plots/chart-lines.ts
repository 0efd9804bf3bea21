import { lastAt, toColumns, type SeriesData } from "./series-columns";
import { secondsFrom, type Span } from "./time-axis";

/** A line of a chart: for each of its points the moment it was recorded. `y` is null where the line breaks. */
export interface ChartLine {
  /** Seconds of the axis. */
  at: number[];
  x: number[];
  /** The lowest and highest value that a point stands for. */
  low: (number | null)[];
  high: (number | null)[];
  y: (number | null)[];
}

/** A single sample, with the number of samples up to the next one. */
interface Sample {
  at: number;
  value: number;
  count: number;
}

/** Periods that a value holds until there is none: as in rules and expressions. */
const heldPeriods = 5;

/** A series over time. */
export function toTimeLine(series: SeriesData, origin: bigint): ChartLine {
  const [at, low, high, y] = toColumns(series, origin);
  return { at, x: at, low, high, y };
}

/** The first sample of each point, which is exact, inside a span. */
const listSamples = (series: SeriesData, origin: bigint, { from, to }: Span): Sample[] =>
  series.points.flatMap(([time, , , first, , count]) => {
    const at = secondsFrom(origin, BigInt(time));
    return at >= from && at <= to ? [{ at, value: first, count }] : [];
  });

/** A series over the number of each sample inside a span, from 0. */
export function toIndexLine(series: SeriesData, origin: bigint, span: Span): ChartLine {
  const line: ChartLine = { at: [], x: [], low: [], high: [], y: [] };
  let number = 0;
  for (const [time, min, max, first, , count] of series.points) {
    const at = secondsFrom(origin, BigInt(time));
    if (at < span.from || at > span.to) continue;
    line.at.push(at);
    line.x.push(number);
    line.low.push(min);
    line.high.push(max);
    line.y.push(first);
    number += count;
  }
  return line;
}

/** The median time between samples; infinite for fewer than three. */
function findPeriod(samples: readonly Sample[]): number {
  if (samples.length < 3) return Infinity;
  const steps = samples.slice(1).map(({ at }, before) => at - (samples[before]?.at ?? at));
  return steps.sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? Infinity;
}

/**
 * A series over another one, inside a span: at each sample of `y` the last value of `x` that still holds. The line breaks
 * where none does, and where no sample of `y` came for long.
 */
export function toPathLine(x: SeriesData, y: SeriesData, origin: bigint, span: Span): ChartLine {
  const line: ChartLine = { at: [], x: [], low: [], high: [], y: [] };
  const [across, along] = [listSamples(x, origin, span), listSamples(y, origin, span)];
  const [hold, gap] = [findPeriod(across) * heldPeriods, findPeriod(along) * heldPeriods];
  const push = (at: number, across: number, value: number | null) => {
    line.at.push(at);
    line.x.push(across);
    for (const column of [line.low, line.high, line.y]) column.push(value);
  };
  let before: number | null = null;
  for (const { at, value } of along) {
    const sample = lastAt(across, at, (each) => each.at);
    const isKnown = sample !== undefined && at - sample.at <= hold;
    const breaks = line.y.length > 0 && line.y.at(-1) !== null && (!isKnown || at - (before ?? at) > gap);
    if (breaks) push(at, line.x.at(-1) ?? 0, null);
    if (isKnown) push(at, sample.value, value);
    before = at;
  }
  return line;
}

/** The position of the last point that was recorded at or before a moment; −1 for none. Breaks are no points. */
export function findPoint({ at, y }: ChartLine, moment: number): number {
  let [low, high] = [0, at.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((at[middle] ?? Infinity) <= moment) low = middle + 1;
    else high = middle;
  }
  let found = low - 1;
  while (found >= 0 && y[found] === null) found--;
  return found;
}
