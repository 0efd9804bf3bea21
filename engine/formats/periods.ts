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

  /** Counts the periods between times in rising order, given as the halves of each (`toHalves`). */
  addBetween(halves: Uint32Array): void {
    for (let i = 2; i < halves.length; i += 2)
      this.add((halves[i + 1]! - halves[i - 1]!) * 2 ** 32 + (halves[i]! - halves[i - 2]!));
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
    const coarser = new NumberCounts();
    this.counts.each((key, count) => coarser.add(Math.floor(key / 2), count));
    this.counts = coarser;
  }

  /** The median in nanoseconds (the mean of the middle two, when even), or null when nothing was counted. */
  median(): bigint | null {
    if (this.total === 0) return null;
    this.settle();
    const counted: [key: number, count: number][] = [];
    this.counts.each((key, count) => counted.push([key, count]));
    counted.sort(([a], [b]) => a - b);
    const lower = Math.floor((this.total - 1) / 2);
    const upper = Math.floor(this.total / 2);
    let seen = 0;
    let first: number | null = null;
    for (const [key, count] of counted) {
      seen += count;
      if (first === null && seen > lower) first = key;
      if (first !== null && seen > upper) return (this.middle(first) + this.middle(key)) / 2n;
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
  /** Each number in the first free place from the one its bits name; a place is free while its count is 0. */
  private keys: Float64Array;
  private counts: Float64Array;

  constructor(places = 64) {
    this.keys = new Float64Array(places);
    this.counts = new Float64Array(places);
  }

  add(key: number, count: number): void {
    const at = this.find(key);
    if (this.counts[at] === 0) {
      this.keys[at] = key;
      this.size += 1;
    }
    this.counts[at] = this.counts[at]! + count;
    if (this.size * 2 > this.keys.length) this.grow();
  }

  private find(key: number): number {
    const { keys, counts } = this;
    const mask = keys.length - 1;
    const mixed = Math.imul((key | 0) ^ Math.imul(Math.floor(key / 0x1_0000_0000), 0x27d4_eb2f), 0x9e37_79b1);
    let at = (mixed ^ (mixed >>> 15)) & mask;
    while (counts[at] !== 0 && keys[at] !== key) at = (at + 1) & mask;
    return at;
  }

  private grow(): void {
    const larger = new NumberCounts(this.keys.length * 2);
    this.each((key, count) => larger.add(key, count));
    [this.keys, this.counts] = [larger.keys, larger.counts];
  }

  each(visit: (key: number, count: number) => void): void {
    const { keys, counts } = this;
    for (let at = 0; at < keys.length; at++) if (counts[at] !== 0) visit(keys[at]!, counts[at]!);
  }
}
