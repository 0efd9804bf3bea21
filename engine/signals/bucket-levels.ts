/** Values of a bucket: minimum, maximum, first and last. */
export const VALUES = 4;

/** The buckets of one width in rising order of time: the same for all series whose samples have the same times. */
export interface BucketLevel {
  /** Nanoseconds. */
  width: number;
  /** Nanoseconds from the start of the series to each bucket's first sample. */
  offsets: Float64Array;
  counts: Float64Array;
  /** Each bucket holds one sample. */
  single: boolean;
  /** Of the buckets of the level before, which of these each became part of; null for the finest level. */
  into: Int32Array | null;
}

/** A level of no more buckets has none above it. */
const MIN_BUCKETS = 64;

/**
 * Levels from buckets of `width` on, which is a power of two: each further one has buckets at least four times as wide
 * as the one before, until few are left.
 */
export function buildLevels(offsets: Float64Array, counts: Float64Array, width: number): BucketLevel[] {
  const levels: BucketLevel[] = [{ width, offsets, counts, single: isSingle(counts), into: null }];
  for (let last = levels[0]!; last.offsets.length > MIN_BUCKETS; last = levels.at(-1)!) {
    let wider = last.width * 4;
    // Samples far apart: skip the widths that would join few of them.
    while (countBuckets(last.offsets, wider) > last.offsets.length * 0.75) wider *= 4;
    const [joined, into] = [last.offsets.slice(), new Int32Array(last.offsets.length)];
    const sums = last.counts.slice();
    const length = joinBuckets(joined, sums, last.offsets.length, wider, into);
    const counts = sums.slice(0, length);
    levels.push({ width: wider, offsets: joined.slice(0, length), counts, single: isSingle(counts), into });
  }
  return levels;
}

const isSingle = (counts: Float64Array): boolean => counts.every((count) => count === 1);

/** How many buckets of `width`, a power of two, the first `length` buckets fall into, and a sample at `next`. */
export function countBuckets(offsets: Float64Array, width: number, length = offsets.length, next = NaN): number {
  const perWidth = 1 / width;
  let count = 0;
  let last = -1;
  for (let row = 0; row < length; row++) {
    const bucket = Math.floor(offsets[row]! * perWidth);
    if (bucket !== last) count += 1;
    last = bucket;
  }
  return count + (Math.floor(next * perWidth) > last ? 1 : 0);
}

/**
 * Joins the first `length` buckets, in place, into those of a greater width, which is a power of two; notes which became
 * part of which, and returns how many there are.
 */
export function joinBuckets(
  offsets: Float64Array,
  counts: Float64Array,
  length: number,
  width: number,
  into: Int32Array,
): number {
  const perWidth = 1 / width;
  let joined = 0;
  let last = -1;
  for (let row = 0; row < length; row++) {
    const bucket = Math.floor(offsets[row]! * perWidth);
    if (bucket === last) counts[joined - 1] = counts[joined - 1]! + counts[row]!;
    else {
      offsets[joined] = offsets[row]!;
      counts[joined++] = counts[row]!;
    }
    last = bucket;
    into[row] = joined - 1;
  }
  return joined;
}

/** Joins values of buckets: those of bucket `row` become part of `target`'s bucket `into[row]`, which may be themselves. */
export function joinValues(values: Float64Array, into: Int32Array, target: Float64Array): void {
  let last = -1;
  for (let row = 0; row < into.length; row++) {
    const from = row * VALUES;
    const to = into[row]! * VALUES;
    if (into[row] === last) {
      if (values[from]! < target[to]!) target[to] = values[from]!;
      if (values[from + 1]! > target[to + 1]!) target[to + 1] = values[from + 1]!;
    } else {
      target[to] = values[from]!;
      target[to + 1] = values[from + 1]!;
      target[to + 2] = values[from + 2]!;
    }
    target[to + 3] = values[from + 3]!;
    last = into[row]!;
  }
}
