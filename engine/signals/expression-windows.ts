import type { Samples } from "@/engine/signals/expression-clock";

const nsPerSecond = 1e9;

/**
 * The change per second from the last sample with an earlier time; NaN at the first sample, beside NaN, and where the
 * sample before no longer held.
 */
export function slideRate({ clock, values }: Samples): Float64Array {
  const rates = new Float64Array(values.length);
  let before = -1;
  for (let row = 0; row < values.length; row++) {
    if (row > 0 && clock.times[row]! > clock.times[row - 1]!) before = row - 1;
    const known = before >= 0 && clock.times[row]! <= clock.holdsUntil(before);
    const seconds = known ? (clock.times[row]! - clock.times[before]!) / nsPerSecond : NaN;
    rates[row] = known ? (values[row]! - values[before]!) / seconds : NaN;
  }
  return rates;
}

/** The area below the line in value × seconds, from sample to sample; nothing is added over holes. */
export function integrate({ clock, values }: Samples): Float64Array {
  const areas = new Float64Array(values.length);
  let sum = 0;
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    const before = row > 0 ? values[row - 1]! : NaN;
    if (clock.continues(row) && Number.isFinite(value) && Number.isFinite(before))
      sum += ((value + before) / 2) * ((clock.times[row]! - clock.times[row - 1]!) / nsPerSecond);
    areas[row] = Number.isFinite(value) ? sum : NaN;
  }
  return areas;
}

/**
 * The mean of the samples after `t − ns` up to `t`. Sums are joined from two sides and never subtracted from, so that
 * one huge value disturbs no window without it.
 */
export function slideMean({ clock: { times }, values }: Samples, ns: number): Float64Array {
  const means = new Float64Array(values.length);
  // Sums from a row up to the middle, and from the middle up to the last row.
  const [sums, counts] = [new Float64Array(values.length), new Int32Array(values.length)];
  let [first, middle, sum, count] = [0, 0, 0, 0];
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    if (!Number.isNaN(value)) {
      sum += value;
      count += 1;
    }
    while (times[first]! <= times[row]! - ns) first++;
    if (first >= middle) {
      let [side, size] = [0, 0];
      for (let at = row; at >= first; at--) {
        if (!Number.isNaN(values[at]!)) {
          side += values[at]!;
          size += 1;
        }
        sums[at] = side;
        counts[at] = size;
      }
      [middle, sum, count] = [row + 1, 0, 0];
    }
    const inside = middle > first;
    const size = (inside ? counts[first]! : 0) + count;
    means[row] = Number.isNaN(value) ? NaN : ((inside ? sums[first]! : 0) + sum) / size;
  }
  return means;
}

/** The median of the samples after `t − ns` up to `t`: of an even number, the mean of the two in the middle. */
export function slideMedian({ clock: { times }, values }: Samples, ns: number): Float64Array {
  const sorted = Float64Array.from(values.filter((value) => !Number.isNaN(value))).sort();
  const ranks = new RankCounts(sorted.length);
  const medians = new Float64Array(values.length);
  let first = 0;
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    if (!Number.isNaN(value)) ranks.add(findRank(sorted, value), 1);
    for (; times[first]! <= times[row]! - ns; first++) {
      if (!Number.isNaN(values[first]!)) ranks.add(findRank(sorted, values[first]!), -1);
    }
    const { total } = ranks;
    const low = sorted[ranks.find((total - 1) >> 1)] ?? NaN;
    const high = sorted[ranks.find(total >> 1)] ?? NaN;
    medians[row] = Number.isNaN(value) ? NaN : low === high ? low : low / 2 + high / 2;
  }
  return medians;
}

/** The first position of a value in rising ones. */
function findRank(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Counts by rank, of which the nth is found in logarithmic time (a Fenwick tree). */
class RankCounts {
  total = 0;
  private readonly tree: Int32Array;
  private readonly top: number;

  constructor(size: number) {
    this.tree = new Int32Array(size + 1);
    this.top = size > 0 ? 2 ** Math.floor(Math.log2(size)) : 0;
  }

  add(rank: number, count: number): void {
    this.total += count;
    for (let at = rank + 1; at < this.tree.length; at += at & -at) this.tree[at]! += count;
  }

  /** The rank of the nth counted, from 0. */
  find(nth: number): number {
    let [position, rest] = [0, nth];
    for (let step = this.top; step > 0; step >>= 1) {
      const next = position + step;
      if (next < this.tree.length && this.tree[next]! <= rest) {
        position = next;
        rest -= this.tree[next]!;
      }
    }
    return position;
  }
}
