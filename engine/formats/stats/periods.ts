/**
 * The median of many periods in bounded memory. Distinct periods are counted exactly; only when there are more than
 * `cap` of them are they rounded to a power of two of nanoseconds, the smallest that keeps within the cap. That
 * rounding depends on the periods alone, not on their order, and a regular topic has few distinct periods, so its
 * median is exact.
 */
export class PeriodCounts {
  private counts = new NumberCounts();
  private total = 0;
  private unit = 1;
  /** The key of the latest periods and how many of them are not in `counts` yet: a topic repeats its period. */
  private key = -1;
  private repeats = 0;
  /** Periods below `exactFrom`. */
  private short = 0;

  /** `exactFrom`: of shorter periods, nanoseconds, only the number is kept, and a median among them is null. */
  constructor(
    private readonly cap: number,
    private readonly exactFrom = 0,
  ) {}

  /** Counts one period, nanoseconds; zero is ignored. */
  add(period: number): void {
    if (period <= 0) return;
    this.total += 1;
    if (period < this.exactFrom) {
      this.short += 1;
      return;
    }
    if (this.toKey(period) !== this.key) {
      this.settle();
      this.key = this.toKey(period);
    }
    this.repeats += 1;
  }

  /** Counts periods below `exactFrom`. */
  addShort(count: number): void {
    this.total += count;
    this.short += count;
  }

  /** Counts the periods between times in rising order, given as the halves of each (`toHalves`). */
  addBetween(halves: Uint32Array): void {
    const { exactFrom } = this;
    let short = 0;
    for (let i = 2; i < halves.length; i += 2) {
      const period = (halves[i + 1]! - halves[i - 1]!) * 2 ** 32 + (halves[i]! - halves[i - 2]!);
      if (period >= exactFrom) this.add(period);
      else if (period > 0) short += 1;
    }
    this.addShort(short);
  }

  private toKey(period: number): number {
    return this.unit === 1 ? period : Math.floor(period / this.unit);
  }

  private settle(): void {
    if (this.repeats === 0) return;
    this.counts.add(this.key, this.repeats);
    this.repeats = 0;
    while (this.counts.size > this.cap) this.coarsen();
  }

  private coarsen(): void {
    this.unit *= 2;
    const coarser = new NumberCounts(this.counts.size);
    this.counts.each((key, count) => coarser.add(Math.floor(key / 2), count));
    this.counts = coarser;
  }

  /**
   * The median in nanoseconds, or null when nothing was counted or it is below `exactFrom`. Of an even number the mean of
   * the middle two; the longer one, when the other is below `exactFrom`.
   */
  median(): bigint | null {
    if (this.total === 0) return null;
    this.settle();
    const lower = Math.floor((this.total - 1) / 2);
    const upper = Math.floor(this.total / 2);
    let seen = this.short;
    const from = Math.max(lower, seen);
    let first: bigint | null = null;
    if (upper < seen) return null;
    for (const key of this.counts.sortedKeys()) {
      seen += this.counts.get(key);
      if (seen > from) first ??= this.middle(key);
      if (first !== null && seen > upper) return (first + this.middle(key)) / 2n;
    }
    return null;
  }

  private middle(key: number): bigint {
    return BigInt(key) * BigInt(this.unit) + BigInt(this.unit) / 2n;
  }
}

/** How often each of many whole numbers was counted: a table of its own, several times as fast as a Map. */
class NumberCounts {
  size = 0;
  /**
   * Each number, followed by its count, in the first free place from the one its bits name; a place is free while its
   * count is 0.
   */
  private table: Float64Array;

  /** Has room for `size` numbers before it grows. */
  constructor(size = 0) {
    this.table = new Float64Array(Math.max(16, 4 * 2 ** Math.ceil(Math.log2(size + 1))));
  }

  add(key: number, count: number): void {
    const at = this.find(key);
    const { table } = this;
    if (table[at + 1] === 0) {
      table[at] = key;
      this.size += 1;
    }
    table[at + 1] = table[at + 1]! + count;
    if (this.size * 4 > table.length) this.grow();
  }

  get(key: number): number {
    return this.table[this.find(key) + 1]!;
  }

  private find(key: number): number {
    const { table } = this;
    const mask = table.length - 2;
    const high = key < 0x8000_0000 ? 0 : Math.imul(Math.floor(key / 0x1_0000_0000), 0x27d4_eb2f);
    const mixed = Math.imul((key | 0) ^ high, 0x9e37_79b1);
    let at = (mixed ^ (mixed >>> 15)) & mask;
    while (table[at + 1] !== 0 && table[at] !== key) at = (at + 2) & mask;
    return at;
  }

  private grow(): void {
    const larger = new NumberCounts(this.size * 2);
    this.each((key, count) => larger.add(key, count));
    this.table = larger.table;
  }

  each(visit: (key: number, count: number) => void): void {
    const { table } = this;
    for (let at = 0; at < table.length; at += 2) if (table[at + 1] !== 0) visit(table[at]!, table[at + 1]!);
  }

  sortedKeys(): Float64Array {
    const keys = new Float64Array(this.size);
    let length = 0;
    this.each((key) => (keys[length++] = key));
    return keys.sort();
  }
}
