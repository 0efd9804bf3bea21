import type { ConditionDraft } from "@/domain/conditions/draft";
import { comparesOverTime } from "../conditions/condition-draft";

export interface Suggestion {
  /** The value to try in place of the rule's own. */
  value: number;
  /** How many of the examined hits would remain, and how many were examined. */
  left: number;
  of: number;
}

/**
 * Hits a day since the first of the days with any, by which a rule is noisy: days before it or its recordings existed say
 * nothing. Never shown, for figures are counted over all days.
 */
export function countPerDay(days: readonly { hits: number }[]): number {
  const since = days.slice(days.findIndex(({ hits }) => hits > 0));
  return since.reduce((sum, { hits }) => sum + hits, 0) / Math.max(1, since.length);
}

/** More hits a day than this are noise: nobody looks at each of them. */
const bearablePerDay = 1;

/** A value people would choose: two significant digits beyond what the peaks have in common. */
function rounded(value: number, up: boolean): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(Math.abs(value), 1e-9)) - 1);
  return Number(((up ? Math.ceil(value / size) : Math.floor(value / size)) * size).toPrecision(3));
}

/** The next value above that people would choose. */
export const roundedUp = (value: number): number => rounded(value, true);

/**
 * A threshold by which a rule would trigger at most once a day, computed from the peaks of its hits and how often they
 * happen; null for conditions without a single value, with too few hits, or that are quiet as they are.
 */
export function suggestThreshold(
  condition: ConditionDraft,
  peaks: readonly (number | null)[],
  hitsPerDay: number,
): Suggestion | null {
  const { operator, value } = condition;
  const above = operator === "gt" || operator === "gte";
  const below = operator === "lt" || operator === "lte";
  if (!comparesOverTime(condition) || typeof value !== "number" || (!above && !below)) return null;
  const known = peaks.filter((peak) => peak !== null).sort((a, b) => (above ? a - b : b - a));
  if (known.length < 10 || hitsPerDay <= bearablePerDay) return null;
  const bearable = Math.floor((known.length * bearablePerDay) / hitsPerDay);
  const suggested = rounded(known[known.length - 1 - bearable] ?? value, above);
  const left = known.filter((peak) => (above ? peak > suggested : peak < suggested)).length;
  const further = above ? suggested > value : suggested < value;
  return further && left < known.length ? { value: suggested, left, of: known.length } : null;
}
