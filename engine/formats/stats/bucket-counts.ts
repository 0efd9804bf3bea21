/** How many buckets of each width a topic's times fall into; widths are powers of two of nanoseconds. */
export class BucketCounts {
  /** Neighbouring times by the highest bit in which they differ: what is wider than that holds both. */
  private readonly parted = new Float64Array(64);
  /** The last time, nanoseconds from the start, as two halves; negative before the first. */
  private high = -1;
  private low = 0;

  /** Counts times in rising order, given as the halves of each; `start`: where buckets begin, nanoseconds. */
  add(halves: Uint32Array, start: bigint): void {
    const { parted } = this;
    const startHigh = Number(start >> 32n);
    const startLow = Number(start & 0xffff_ffffn);
    let { high, low } = this;
    for (let i = 0; i < halves.length; i += 2) {
      const difference = halves[i]! - startLow;
      const nextHigh = halves[i + 1]! - startHigh - (difference < 0 ? 1 : 0);
      const nextLow = difference | 0;
      if (high !== nextHigh && high >= 0) {
        const bit = 63 - Math.clz32(high ^ nextHigh);
        parted[bit] = parted[bit]! + 1;
      } else if (low !== nextLow && high >= 0) {
        const bit = 31 - Math.clz32(low ^ nextLow);
        parted[bit] = parted[bit]! + 1;
      }
      [high, low] = [nextHigh, nextLow];
    }
    this.high = high;
    this.low = low;
  }

  /** The least width of which there are no more than `cap` buckets. */
  getWidth(cap: number): number {
    let count = 1 + this.parted.reduce((sum, pairs) => sum + pairs, 0);
    let bit = 0;
    for (; count > Math.max(1, cap); bit++) count -= this.parted[bit]!;
    return 2 ** bit;
  }
}
