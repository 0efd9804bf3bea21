/** 2000-01-01 in nanoseconds: robots without a clock begin at 1970. */
const YEAR_2000 = 946_684_800_000_000_000n;
/** 30 days in nanoseconds: what a longer gap parts was not recorded in one go. */
const MAX_GAP = 2_592_000_000_000_000n;

/** Messages that no long gap parts; times in nanoseconds, both ends included. */
export interface TimeGroup {
  start: bigint;
  end: bigint;
  count: number;
}

/** Parts the log times of a recording into groups, however they come. */
export class TimeGroups {
  private groups: TimeGroup[] = [];

  /** Adds times in rising order; they may lie before, between and after those added earlier. */
  add(times: BigInt64Array): void {
    for (let from = 0; from < times.length;) {
      const to = findEnd(times, from);
      this.join({ start: times[from]!, end: times[to - 1]!, count: to - from });
      from = to;
    }
  }

  /** Adds a group and unites it with all that no gap parts from it. */
  private join(group: TimeGroup): void {
    const last = this.groups.at(-1);
    if (last !== undefined && group.start >= last.start && !areParted(last, group)) {
      if (group.end > last.end) last.end = group.end;
      last.count += group.count;
      return;
    }
    const near = this.groups.filter((other) => !areParted(other, group) && !areParted(group, other));
    for (const { start, end, count } of near) {
      if (start < group.start) group.start = start;
      if (end > group.end) group.end = end;
      group.count += count;
    }
    this.groups = [...this.groups.filter((other) => !near.includes(other)), group].sort((a, b) =>
      a.start < b.start ? -1 : 1,
    );
  }

  /**
   * The range of the times that belong to the recording, when others do not: those before 2000 where later ones exist,
   * and all but the largest group (of equal ones the later). Null when there are no such outliers.
   */
  main(): TimeGroup | null {
    if (this.groups.length < 2) return null;
    const late = this.groups.filter(({ start }) => start >= YEAR_2000);
    if (late.length === 0) return null;
    return late.reduce((best, group) => (group.count >= best.count ? group : best));
  }
}

/** Where the times from `from` on that no gap parts end. Most times are of one group. */
function findEnd(times: BigInt64Array, from: number): number {
  const last = times.length - 1;
  if (times[last]! - times[from]! <= MAX_GAP && !isParted(times[from]!, times[last]!)) return times.length;
  let to = from + 1;
  while (to < times.length && !isParted(times[to - 1]!, times[to]!)) to += 1;
  return to;
}

const isParted = (before: bigint, after: bigint): boolean =>
  after - before > MAX_GAP || (before < YEAR_2000 && after >= YEAR_2000);

/** Whether a gap parts the later of two groups from the earlier. */
const areParted = (earlier: TimeGroup, later: TimeGroup): boolean =>
  later.start > earlier.end && isParted(earlier.end, later.start);
