/**
 * The median of many periods in bounded memory. Distinct periods are counted exactly; only when there are more than
 * `cap` of them are they rounded to a power of two of nanoseconds, the smallest that keeps within the cap. That
 * rounding depends on the periods alone, not on their order, and a regular topic has few distinct periods, so its
 * median is exact.
 */
export class PeriodCounts {
  private counts = new Map<number, number>();
  private total = 0;
  private unit = 1;
  /** The key of the latest periods and how many of them are not in `counts` yet: a topic repeats its period. */
  private key = -1;
  private repeats = 0;

  constructor(private readonly cap: number) {}

  /** Counts one period, nanoseconds; zero is ignored. */
  add(period: number): void {
    if (period <= 0) return;
    this.total += 1;
    if (this.toKey(period) !== this.key) {
      this.settle();
      this.key = this.toKey(period);
    }
    this.repeats += 1;
  }

  private toKey(period: number): number {
    return this.unit === 1 ? period : Math.floor(period / this.unit);
  }

  private settle(): void {
    if (this.repeats === 0) return;
    this.counts.set(this.key, (this.counts.get(this.key) ?? 0) + this.repeats);
    this.repeats = 0;
    while (this.counts.size > this.cap) this.coarsen();
  }

  private coarsen(): void {
    this.unit *= 2;
    const coarser = new Map<number, number>();
    for (const [key, count] of this.counts) {
      const half = Math.floor(key / 2);
      coarser.set(half, (coarser.get(half) ?? 0) + count);
    }
    this.counts = coarser;
  }

  /** The median in nanoseconds (the mean of the middle two, when even), or null when nothing was counted. */
  median(): bigint | null {
    if (this.total === 0) return null;
    this.settle();
    const keys = [...this.counts.keys()].sort((a, b) => a - b);
    const lower = Math.floor((this.total - 1) / 2);
    const upper = Math.floor(this.total / 2);
    let seen = 0;
    let first: number | null = null;
    for (const key of keys) {
      seen += this.counts.get(key) ?? 0;
      if (first === null && seen > lower) first = key;
      if (first !== null && seen > upper) return (this.middle(first) + this.middle(key)) / 2n;
    }
    return null;
  }

  private middle(key: number): bigint {
    return BigInt(key) * BigInt(this.unit) + BigInt(this.unit) / 2n;
  }
}
