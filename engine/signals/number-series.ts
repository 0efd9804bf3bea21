import { buildLevels, VALUES, type BucketLevel } from "@/engine/signals/bucket-levels";
import { Buckets, OFFSET } from "@/engine/signals/buckets";
import type { SeriesMemory } from "@/engine/signals/series-memory";
import { valuesAtRanks } from "@/engine/signals/weighted-rank";

const MIN_CAPACITY = 32;

/** The buckets of a series: how they lie in time, and `VALUES` values for each of the finest level. */
export interface SeriesBuckets {
  levels: readonly BucketLevel[];
  values: Float64Array;
}

/** Of the numbers; null for states and for fields that were never finite. */
export interface SeriesFigures {
  /** Number of samples. */
  count: number;
  min: number | null;
  max: number | null;
  p50: number | null;
  p99: number | null;
  last: number | null;
}

/**
 * The samples of one numeric field in at most `share.buckets` buckets. A bucket's width starts at a nanosecond, so
 * every sample has its own until there are too many, or at `width`, a power of two, when that is known to be needed;
 * from then on the width doubles as often as needed. How the samples were added makes no difference.
 */
export class NumberSeries {
  protected buckets = new Buckets(MIN_CAPACITY);
  /** Where the last bucket ends. */
  protected bucketEnd = -1;

  constructor(
    protected readonly share: { buckets: number },
    protected width = 1,
  ) {}

  /** Adds a sample, unless it is NaN or infinite: those are in no bucket, and a run of them shows as a gap. */
  add(offset: number, value: number): void {
    if (value - value !== 0) return;
    if (offset < this.bucketEnd) this.buckets.join(value);
    else this.append(offset, value);
  }

  private append(offset: number, value: number): void {
    const { length, capacity } = this.buckets;
    if (length >= this.share.buckets) {
      this.fit(this.share.buckets, offset);
      if (offset < this.bucketEnd) return this.buckets.join(value);
    } else if (length === capacity) this.buckets.grow(Math.min(this.share.buckets, length * 2));
    this.buckets.push(offset, value);
    this.bucketEnd = (Math.floor(offset / this.width) + 1) * this.width;
  }

  /** Widens the buckets until there are no more than `cap`, with the one of a sample at `next` where that is given. */
  fit(cap = this.share.buckets, next = NaN): void {
    const { buckets } = this;
    if (buckets.length + (next >= this.bucketEnd ? 1 : 0) <= cap) return;
    // Widths below the smallest distance of two buckets would not join any.
    let least = next >= 0 ? next - buckets.at(buckets.length - 1, OFFSET) : Infinity;
    for (let row = 1; row < buckets.length; row++) {
      least = Math.min(least, buckets.at(row, OFFSET) - buckets.at(row - 1, OFFSET));
    }
    let width = Math.max(this.width * 2, 2 ** Math.floor(Math.log2(Math.max(1, least))));
    while (buckets.countAt(width, next) > cap) width *= 2;
    this.buckets = buckets.widened(width, Math.max(MIN_CAPACITY, this.share.buckets));
    this.width = width;
    const last = this.buckets.at(this.buckets.length - 1, OFFSET);
    this.bucketEnd = (Math.floor(last / width) + 1) * width;
  }

  /** What is stored of the samples, once all are added; the values may lie in `memory`. */
  getBuckets(memory: SeriesMemory): SeriesBuckets {
    const values = memory.take(this.buckets.length * VALUES);
    const { offsets, counts } = this.buckets.toColumns(values);
    return { levels: buildLevels(offsets, counts, this.width), values };
  }

  /**
   * The number of samples, their range, the median, the 99th percentile and the last value; all but the number null
   * without samples. For the percentiles each bucket counts by its middle, so the narrower the buckets, the more exact.
   */
  summarize({ levels, values }: SeriesBuckets, memory: SeriesMemory): SeriesFigures {
    const { length } = levels[0]!.counts;
    if (length === 0) return { count: 0, min: null, max: null, p50: null, p99: null, last: null };
    const counts = memory.take(length);
    counts.set(levels[0]!.counts);
    const middles = memory.take(length);
    let [count, min, max] = [0, Infinity, -Infinity];
    for (let row = 0; row < length; row++) {
      const [low, high] = [values[row * VALUES]!, values[row * VALUES + 1]!];
      count += counts[row]!;
      min = Math.min(min, low);
      max = Math.max(max, high);
      middles[row] = (low + high) / 2;
    }
    const ranks = [Math.ceil(count * 0.5), Math.ceil(count * 0.99)];
    const [p50, p99] = valuesAtRanks(middles, counts, ranks) as [number, number];
    return { count, min, max, p50, p99, last: values[length * VALUES - 1]! };
  }

  /** Lets go of what it holds, which the caller has in another form. */
  release(): void {
    this.buckets = new Buckets(0);
  }
}
