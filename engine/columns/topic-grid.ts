import { ROWS } from "@/engine/columns/column-batch";
import { extremes } from "@/engine/columns/extremes";
import {
  buildLevels,
  countBuckets,
  joinBuckets,
  joinValues,
  VALUES,
  type BucketLevel,
} from "@/engine/signals/bucket-levels";

const firstCapacity = 16;

/** Stretches of the batch at hand, of whichever topic it is. */
const runFrom = new Int32Array(ROWS + 1);
const runBucket = new Int32Array(ROWS);

/** Rows of a stretch, on average, from which on `extremes` is faster. */
const longStretch = 4;

/**
 * The buckets of one topic. All its fields share times, so that the bounds of buckets are found once for a batch, and
 * are folded into each column in a tight loop. Widens as `NumberSeries` does, all columns together.
 */
export class TopicGrid {
  /** Nanoseconds from the start of the recording to each bucket's first sample, and its number of samples. */
  offsets = new Float64Array(firstCapacity);
  counts = new Float64Array(firstCapacity);
  length = 0;
  private end = -1;
  private levels: BucketLevel[] | null = null;
  /** By column, the values of each bucket: minimum, maximum, first and last; none of a column that has left. */
  readonly values: Float64Array[] = [];
  /** Stretches of a batch that fall into one bucket: rows [runFrom[r], runFrom[r + 1]). */
  runs = 0;
  readonly runFrom = runFrom;
  readonly runBucket = runBucket;
  /** Whether the stretches are long, and known to `extremes`. */
  isLong = false;
  /** Whether the first stretch continues the last bucket of the batch before. */
  continues = false;

  constructor(
    private readonly share: { buckets: number },
    public width: number,
  ) {}

  /** Adds a column, before the first `begin`; returns its number. */
  addColumn(): number {
    return this.values.push(new Float64Array(this.offsets.length * VALUES)) - 1;
  }

  /** Takes a column out; returns the values that it had. */
  removeColumn(column: number): Float64Array {
    const values = this.values[column]!;
    this.values[column] = new Float64Array(0);
    return values;
  }

  /**
   * Puts rows [from, to) into buckets, up to the one for which buckets must be widened first, and returns that row or
   * `to`. Rows are positions in `times`; stretches count from `from`.
   */
  begin(times: Float64Array, from: number, to: number): number {
    const cap = this.share.buckets;
    if (this.length + to - from > this.offsets.length) this.grow(Math.min(cap, this.length + to - from));
    const { offsets, counts, width } = this;
    // Widths are powers of two, so that this is exact.
    const perWidth = 1 / width;
    let { end, length } = this;
    let runs = 0;
    this.continues = from < to && length > 0 && times[from]! < end;
    if (this.continues) {
      runFrom[0] = 0;
      runBucket[0] = length - 1;
      runs = 1;
    }
    let at = from;
    for (; at < to; at++) {
      const time = times[at]!;
      if (time < end) continue;
      if (length >= cap) break;
      runFrom[runs] = at - from;
      runBucket[runs++] = length;
      counts[length] = 0;
      offsets[length++] = time;
      end = (Math.floor(time * perWidth) + 1) * width;
    }
    runFrom[runs] = at - from;
    for (let run = 0; run < runs; run++)
      counts[runBucket[run]!] = counts[runBucket[run]!]! + runFrom[run + 1]! - runFrom[run]!;
    this.runs = runs;
    this.isLong = extremes !== null && at - from >= longStretch * runs;
    if (this.isLong) for (let run = 0; run <= runs; run++) extremes!.from[run] = runFrom[run]!;
    this.end = end;
    this.length = length;
    return at;
  }

  private grow(least: number): void {
    const capacity = Math.max(least, Math.min(this.share.buckets, this.offsets.length * 4));
    // What a topic may hold shrinks as others appear.
    if (capacity <= this.offsets.length) return;
    const longer = (values: Float64Array, size: number) => {
      const all = new Float64Array(capacity * size);
      all.set(values.subarray(0, this.length * size));
      return all;
    };
    this.offsets = longer(this.offsets, 1);
    this.counts = longer(this.counts, 1);
    for (const [column, values] of this.values.entries())
      if (values.length > 0) this.values[column] = longer(values, VALUES);
  }

  /** Makes room for a sample at `next`. */
  widen(next: number): void {
    this.fit(this.share.buckets, next);
  }

  /** Widens the buckets until there are no more than `cap`, with the one of a sample at `next` where that is given. */
  fit(cap: number, next = NaN): void {
    const { offsets, counts, length } = this;
    if (length + (next >= this.end ? 1 : 0) <= cap) return;
    let least = next >= 0 ? next - offsets[length - 1]! : Infinity;
    for (let row = 1; row < length; row++) least = Math.min(least, offsets[row]! - offsets[row - 1]!);
    let width = Math.max(this.width * 2, 2 ** Math.floor(Math.log2(Math.max(1, least))));
    while (countBuckets(offsets, width, length, next) > cap) width *= 2;
    const into = new Int32Array(length);
    const joined = joinBuckets(offsets, counts, length, width, into);
    for (const values of this.values) if (values.length > 0) joinValues(values, into, values);
    this.length = joined;
    this.width = width;
    this.end = (Math.floor(offsets[joined - 1]! / width) + 1) * width;
  }

  /** The levels of what is stored of these buckets, once all samples are in them. */
  getLevels(): BucketLevel[] {
    const { offsets, counts, length, width } = this;
    return (this.levels ??= buildLevels(offsets.subarray(0, length), counts.subarray(0, length), width));
  }
}
