import { Buckets, COUNT, LAST, MAX, MIN, OFFSET } from "@/engine/signals/buckets";
import { encodeSeries } from "@/engine/signals/series-encoding";
import { valueAtRank } from "@/engine/signals/weighted-rank";

const MIN_CAPACITY = 32;

/**
 * The samples of one numeric field in at most `share.buckets` buckets. A bucket's width starts at a nanosecond, so
 * every sample has its own until there are too many; from then on the width doubles as often as needed.
 */
export class NumberSeries {
  protected buckets = new Buckets(MIN_CAPACITY);
  protected width = 1;
  /** Where the last bucket ends. */
  protected bucketEnd = -1;

  constructor(protected readonly share: { buckets: number }) {}

  /** Adds a sample, unless it is NaN or infinite: those are in no bucket, and a run of them shows as a gap. */
  add(offset: number, value: number): void {
    if (value - value !== 0) return;
    if (offset < this.bucketEnd) this.buckets.join(value);
    else this.append(offset, value);
  }

  private append(offset: number, value: number): void {
    const { length, capacity } = this.buckets;
    if (length >= this.share.buckets) {
      this.fit(this.share.buckets - 1);
      if (offset < this.bucketEnd) return this.buckets.join(value);
    } else if (length === capacity) this.buckets.grow(Math.min(this.share.buckets, length * 2));
    this.buckets.push(offset, value);
    this.bucketEnd = (Math.floor(offset / this.width) + 1) * this.width;
  }

  /** Widens the buckets until there are no more than `cap`. */
  fit(cap = this.share.buckets): void {
    const { buckets } = this;
    if (buckets.length <= cap) return;
    // Widths below the smallest distance of two buckets would not join any.
    let least = Infinity;
    for (let row = 1; row < buckets.length; row++) {
      least = Math.min(least, buckets.at(row, OFFSET) - buckets.at(row - 1, OFFSET));
    }
    let width = Math.max(this.width * 2, 2 ** Math.floor(Math.log2(Math.max(1, least))));
    while (buckets.countAt(width) > cap) width *= 2;
    this.buckets = buckets.widened(width, Math.max(MIN_CAPACITY, this.share.buckets));
    this.width = width;
    const last = this.buckets.at(this.buckets.length - 1, OFFSET);
    this.bucketEnd = (Math.floor(last / width) + 1) * width;
  }

  /** The number of samples and their range; `min` and `max` are null without samples. */
  extent(): { count: number; min: number | null; max: number | null } {
    let count = 0;
    let min = Infinity;
    let max = -Infinity;
    for (let row = 0; row < this.buckets.length; row++) {
      count += this.buckets.at(row, COUNT);
      min = Math.min(min, this.buckets.at(row, MIN));
      max = Math.max(max, this.buckets.at(row, MAX));
    }
    return count === 0 ? { count, min: null, max: null } : { count, min, max };
  }

  /**
   * The median, the 99th percentile and the last value; null without samples. Each bucket counts by its middle, so the
   * narrower the buckets, the more exact.
   */
  spread(): { p50: number | null; p99: number | null; last: number | null } {
    const { buckets } = this;
    if (buckets.length === 0) return { p50: null, p99: null, last: null };
    const middles = new Float64Array(buckets.length);
    const counts = new Float64Array(buckets.length);
    let total = 0;
    for (let row = 0; row < buckets.length; row++) {
      middles[row] = (buckets.at(row, MIN) + buckets.at(row, MAX)) / 2;
      total += counts[row] = buckets.at(row, COUNT);
    }
    const quantile = (share: number) => valueAtRank(middles, counts, Math.ceil(total * share));
    return { p50: quantile(0.5), p99: quantile(0.99), last: buckets.at(buckets.length - 1, LAST) };
  }

  encode(startTime: bigint): Uint8Array {
    return encodeSeries(this.buckets, this.width, startTime);
  }
}
