import { readLine, type Line } from "@/engine/signals/line";

export interface Fit {
  /** Milliseconds by which the second line has to be later. */
  shiftMs: number;
  /** Pearson's correlation of the two lines then: 1 where one is a multiple of the other. */
  r: number;
}

interface FitOptions {
  /** Seconds that the second line may be moved by, either way. */
  maxShift: number;
}

/** How many samples of a line are compared at most. */
const maxSamples = 2_048;
const minSamples = 8;
/** The least part of the shorter line that has to lie over the other: short pieces fit by chance. */
const minShare = 0.5;
/** Seconds to which a shift is found. */
const finest = 0.001;
/** How much better a larger shift must fit: of a line that repeats itself, the smallest counts. */
const margin = 1e-6;

/**
 * The shift by which one line fits another best, from their values at equal steps: coarse steps first, then finer ones
 * around the best. Null where nothing can be said: for lines that hardly overlap, or of which one does not change.
 */
export function findShift(a: Line, b: Line, { maxShift }: FitOptions): Fit | null {
  if (Math.min(a.times.length, b.times.length) < minSamples) return null;
  const [from, to] = [a.times[0], a.times[a.times.length - 1]];
  const [first, last] = [b.times[0], b.times[b.times.length - 1]];
  if (from === undefined || to === undefined || first === undefined || last === undefined) return null;
  const step = Math.max(
    (to - from) / maxSamples,
    (last - first) / maxSamples,
    Math.min(findStep(a), findStep(b)),
    finest,
  );
  const toGrid = (start: number, end: number) =>
    Float64Array.from({ length: Math.floor((end - start) / step) + 1 }, (_, at) => start + at * step);
  const grid = toGrid(from, to);
  const fixed = readLine(a, grid);
  // On the grid of the first, so that a coarse shift is a number of steps.
  const lead = Math.floor((from - first) / step);
  const moved = readLine(b, toGrid(from - lead * step, last));
  const least = Math.max(minSamples, minShare * Math.min(countValues(fixed), countValues(moved)));

  let best = { shift: 0, r: -Infinity };
  const consider = (shift: number, r: number | null) => {
    if (r !== null && Math.abs(shift) <= maxShift && r > best.r + margin) best = { shift, r };
  };
  const steps = Math.floor(maxShift / step);
  for (let by = 0; by <= steps; by++) {
    consider(by * step, correlate(fixed, moved, lead - by, least));
    if (by > 0) consider(-by * step, correlate(fixed, moved, lead + by, least));
  }
  if (best.r === -Infinity) return null;
  for (let width = step; width > finest / 2; width /= 5) {
    const around = best.shift;
    for (let part = -5; part <= 5; part++) {
      const shift = around + (part * width) / 5;
      const at = grid.map((time) => time - shift);
      if (part !== 0) consider(shift, correlate(fixed, readLine(b, at), 0, least));
    }
  }
  return { shiftMs: Math.round(best.shift * 1_000), r: best.r };
}

/** The median distance of neighbours. */
function findStep({ times }: Line): number {
  const steps = Array.from({ length: Math.max(0, times.length - 1) }, (_, at) => times[at + 1]! - times[at]!);
  return steps.sort((one, other) => one - other)[Math.floor(steps.length / 2)] ?? Infinity;
}

const countValues = (values: Float64Array): number =>
  values.reduce((count, each) => count + (each === each ? 1 : 0), 0);

/** Pearson's correlation of `a[i]` and `b[i + offset]`; null with fewer than `least` pairs, or where one is constant. */
function correlate(a: Float64Array, b: Float64Array, offset: number, least: number): number | null {
  const [start, end] = [Math.max(0, -offset), Math.min(a.length, b.length - offset)];
  let [count, sumA, sumB] = [0, 0, 0];
  for (let at = start; at < end; at++) {
    const [one, other] = [a[at]!, b[at + offset]!];
    if (one !== one || other !== other) continue;
    count++;
    sumA += one;
    sumB += other;
  }
  if (count < least) return null;
  const [meanA, meanB] = [sumA / count, sumB / count];
  let [ab, aa, bb] = [0, 0, 0];
  for (let at = start; at < end; at++) {
    const [one, other] = [a[at]! - meanA, b[at + offset]! - meanB];
    if (one !== one || other !== other) continue;
    ab += one * other;
    aa += one * one;
    bb += other * other;
  }
  const varies = (squares: number, mean: number) => squares > count * (1e-9 * mean) ** 2;
  return varies(aa, meanA) && varies(bb, meanB) ? ab / Math.sqrt(aa * bb) : null;
}
