const hourNs = 3_600_000_000_000n;
const hours = 24;

/** Counts triggers of the last 24 hours, by the hour. */
export class TriggerCount {
  /** How many in which hour since 1970, in order. */
  private counts: [hour: number, count: number][] = [];

  /** Counts a trigger where there is room for one; the last one, beyond `limit`, is where a storm begins. */
  add(at: bigint, limit: number): "room" | "last" | "none" {
    const hour = Number(at / hourNs);
    this.counts = this.counts.filter(([counted]) => counted > hour - hours);
    const total = this.counts.reduce((sum, [, count]) => sum + count, 0);
    if (total > limit) return "none";
    const last = this.counts.at(-1);
    if (last?.[0] === hour) last[1]++;
    else this.counts.push([hour, 1]);
    return total === limit ? "last" : "room";
  }

  save(): [number, number][] {
    return this.counts;
  }

  load(counts: [number, number][]): void {
    this.counts = counts;
  }
}
