import { VALUES } from "@/engine/signals/bucket-levels";

/** Columns of a bucket's row. */
export const OFFSET = 0;
export const MIN = 1;
export const MAX = 2;
export const FIRST = 3;
export const LAST = 4;
export const COUNT = 5;
const COLUMNS = 6;

/**
 * Buckets of a series in rising time order, six numbers each: the offset of the first sample (nanoseconds from the
 * start of the series), minimum, maximum, first and last value, and the number of samples. Only buckets with samples
 * have a row. One array for all columns, so that a sample touches one line of the processor's cache.
 */
export class Buckets {
  length = 0;
  rows: Float64Array;

  constructor(capacity: number) {
    this.rows = new Float64Array(capacity * COLUMNS);
  }

  get capacity(): number {
    return this.rows.length / COLUMNS;
  }

  grow(capacity: number): void {
    const rows = new Float64Array(capacity * COLUMNS);
    rows.set(this.rows.subarray(0, this.length * COLUMNS));
    this.rows = rows;
  }

  at(row: number, column: number): number {
    return this.rows[row * COLUMNS + column]!;
  }

  /** Adds a row for one sample. */
  push(offset: number, value: number): void {
    this.put(offset, value, value, value, value, 1);
  }

  put(offset: number, min: number, max: number, first: number, last: number, count: number): void {
    const { rows } = this;
    const at = this.length * COLUMNS;
    rows[at] = offset;
    rows[at + MIN] = min;
    rows[at + MAX] = max;
    rows[at + FIRST] = first;
    rows[at + LAST] = last;
    rows[at + COUNT] = count;
    this.length += 1;
  }

  /** Adds one more sample to the last row. */
  join(value: number): void {
    const { rows } = this;
    const at = (this.length - 1) * COLUMNS;
    if (value < rows[at + MIN]!) rows[at + MIN] = value;
    if (value > rows[at + MAX]!) rows[at + MAX] = value;
    rows[at + LAST] = value;
    rows[at + COUNT] = rows[at + COUNT]! + 1;
  }

  /** Appends a row of another list; merges it into the last row where both lie in the same `width` nanoseconds. */
  append(source: Buckets, row: number, width: number): void {
    const { rows } = this;
    const from = source.rows;
    const i = row * COLUMNS;
    const at = (this.length - 1) * COLUMNS;
    if (at < 0 || Math.floor(rows[at]! / width) !== Math.floor(from[i]! / width)) {
      this.put(from[i]!, from[i + MIN]!, from[i + MAX]!, from[i + FIRST]!, from[i + LAST]!, from[i + COUNT]!);
      return;
    }
    if (from[i + MIN]! < rows[at + MIN]!) rows[at + MIN] = from[i + MIN]!;
    if (from[i + MAX]! > rows[at + MAX]!) rows[at + MAX] = from[i + MAX]!;
    rows[at + LAST] = from[i + LAST]!;
    rows[at + COUNT] = rows[at + COUNT]! + from[i + COUNT]!;
  }

  /** The same samples in buckets of `width`, which must not be narrower than these. */
  widened(width: number, capacity = this.length): Buckets {
    const wider = new Buckets(Math.max(1, capacity));
    for (let row = 0; row < this.length; row++) wider.append(this, row, width);
    return wider;
  }

  /** The offsets and counts; puts the values, `VALUES` for each bucket, into `values`. */
  toColumns(values: Float64Array): { offsets: Float64Array; counts: Float64Array } {
    const { rows, length } = this;
    const [offsets, counts] = [new Float64Array(length), new Float64Array(length)];
    for (let row = 0; row < length; row++) {
      const at = row * COLUMNS;
      offsets[row] = rows[at]!;
      counts[row] = rows[at + COUNT]!;
      for (let column = 0; column < VALUES; column++) values[row * VALUES + column] = rows[at + MIN + column]!;
    }
    return { offsets, counts };
  }

  /** How many buckets of `width` the rows fall into, and a sample at `next` where that is given. */
  countAt(width: number, next = NaN): number {
    let count = 0;
    let last = -1;
    for (let row = 0; row < this.length; row++) {
      const bucket = Math.floor(this.rows[row * COLUMNS]! / width);
      if (bucket !== last) count += 1;
      last = bucket;
    }
    return count + (Math.floor(next / width) > last ? 1 : 0);
  }
}
