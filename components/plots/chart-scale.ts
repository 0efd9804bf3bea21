import type { ChartLine } from "./chart-lines";
import type { Span } from "./time-axis";

/** Values along one side of a chart. */
export interface Scale {
  min: number;
  max: number;
}

/** The range of values of lines with a margin; only of the points between two values of x where a span is given. */
export function findScale(lines: readonly ChartLine[], side: "x" | "y", span: Span | null = null): Scale {
  let [min, max] = [Infinity, -Infinity];
  for (const { x, low, high, y } of lines) {
    for (let at = 0; at < x.length; at++) {
      const across = x[at] ?? 0;
      if (y[at] === null || (span && (across < span.from || across > span.to))) continue;
      min = Math.min(min, side === "x" ? across : (low[at] ?? Infinity));
      max = Math.max(max, side === "x" ? across : (high[at] ?? -Infinity));
    }
  }
  if (min > max) return { min: 0, max: 1 };
  const room = findRoom(min, max, 0.06);
  return { min: min - room, max: max + room };
}

/** The labels of larger values have four digits, and differ only by the last of them. */
const long = 1e7;

/**
 * The room above and below values, `share` of what lies between them. Of values that hardly change for their size it is as
 * much as the labels of the axis need to differ; a constant lies in the middle of a fiftieth of itself.
 */
export function findRoom(min: number, max: number, share: number): number {
  const [extent, size] = [max - min, Math.max(Math.abs(min), Math.abs(max))];
  const isConstant = extent <= size * 1e-9;
  return Math.max(extent * share, size * (isConstant || size >= long ? 0.01 : 2e-5), 1e-9);
}

/** A scale made wider for values close to it, so that they can be seen beside the lines. */
export function includeNear(scale: Scale, values: readonly number[]): Scale {
  const extent = scale.max - scale.min;
  const near = values.filter((value) => value >= scale.min - 2 * extent && value <= scale.max + 2 * extent);
  const [min, max] = [Math.min(scale.min, ...near), Math.max(scale.max, ...near)];
  const room = (max - min) * 0.06;
  return { min: min < scale.min ? min - room : scale.min, max: max > scale.max ? max + room : scale.max };
}

/** Two scales made wider, so that a unit takes as many pixels along both sides. */
export function equalise(x: Scale, y: Scale, width: number, height: number): [x: Scale, y: Scale] {
  const unit = Math.max((x.max - x.min) / Math.max(1, width), (y.max - y.min) / Math.max(1, height));
  const widen = ({ min, max }: Scale, pixels: number): Scale => {
    const middle = (min + max) / 2;
    const half = (unit * Math.max(1, pixels)) / 2;
    return { min: middle - half, max: middle + half };
  };
  return [widen(x, width), widen(y, height)];
}

/** Round values of a scale, at most `count`. */
export function listTicks({ min, max }: Scale, count: number): number[] {
  const least = (max - min) / Math.max(1, count);
  if (!(least > 0) || !Number.isFinite(least)) return [];
  const power = 10 ** Math.floor(Math.log10(least));
  const step = ([1, 2, 5].find((each) => each * power >= least) ?? 10) * power;
  const ticks: number[] = [];
  for (let at = Math.ceil(min / step); at * step <= max && ticks.length < 50; at++)
    // Sums of steps such as 0.1 have digits of their own.
    ticks.push(Number((at * step).toPrecision(12)));
  return ticks;
}
