import type { Episode } from "@/engine/rules/episodes";

/** A span over which a part of a rule holds: from its trigger up to, not including, its end. */
export interface Interval {
  start: bigint;
  end: bigint;
  startedAt: bigint;
  /** What made it start. */
  cause: Episode;
}

export const toInterval = (episode: Episode): Interval => ({
  start: episode.triggeredAt,
  end: episode.endedAt,
  startedAt: episode.startedAt,
  cause: episode,
});

// Ties are broken by topic, so that the order of the lists does not matter.
const byStart = (a: Interval, b: Interval): number =>
  a.start !== b.start
    ? a.start < b.start
      ? -1
      : 1
    : a.cause.topic < b.cause.topic
      ? -1
      : a.cause.topic > b.cause.topic
        ? 1
        : 0;

/**
 * Where any of the lists holds; spans that overlap or touch become one, which keeps the earliest cause and the top
 * peak.
 */
export function union(lists: readonly Interval[][]): Interval[] {
  const merged: Interval[] = [];
  for (const interval of lists.flat().sort(byStart)) {
    const last = merged[merged.length - 1];
    if (!last || interval.start > last.end) {
      merged.push({ ...interval });
      continue;
    }
    if (interval.end > last.end) last.end = interval.end;
    if (interval.cause.extent > last.cause.extent) {
      last.cause = { ...last.cause, peak: interval.cause.peak, extent: interval.cause.extent };
    }
  }
  return merged;
}

/**
 * Where both lists hold; each must be in order and without overlaps, as `union` returns. The later start is the cause.
 */
export function intersection(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  const common: Interval[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const left = a[i]!;
    const right = b[j]!;
    const later = byStart(left, right) >= 0 ? left : right;
    const end = left.end < right.end ? left.end : right.end;
    if (later.start < end) common.push({ ...later, end });
    if (left.end < right.end) i++;
    else j++;
  }
  return common;
}

/** Extends every span by `by` nanoseconds, but not beyond `limit`. */
export const extend = (intervals: readonly Interval[], by: bigint, limit: bigint): Interval[] =>
  by === 0n
    ? [...intervals]
    : intervals.map((interval) => ({ ...interval, end: interval.end + by < limit ? interval.end + by : limit }));
