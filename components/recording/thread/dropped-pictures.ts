/** Nanoseconds of a recording over which pictures that are left out are counted. */
const span = 2_000_000_000n;

/** The part of the last pictures that was left out while a recording plays. */
export class DroppedPictures {
  private drops: { at: bigint; count: number }[] = [];
  private seen: { at: bigint; number: number }[] = [];

  /** Counts pictures that were left out at a moment. */
  add(at: bigint, count: number): void {
    this.drops.push({ at, count });
  }

  /** From 0 to 1, at a moment of which the picture has a number; numbers are in the order of pictures. */
  measure(at: bigint, number: number): number {
    const isNear = (each: { at: bigint }) => each.at <= at && at - each.at < span;
    this.drops = this.drops.filter(isNear);
    this.seen = [...this.seen.filter(isNear), { at, number }];
    const left = this.drops.reduce((sum, { count }) => sum + count, 0);
    const all = Math.max(number - (this.seen[0]?.number ?? number), left);
    return left === 0 ? 0 : left / all;
  }
}
