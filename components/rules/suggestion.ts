import type { ConditionDraft } from "@/domain/conditions/draft";
import { comparesOverTime } from "./conditions/condition-draft";

export interface Suggestion {
  /** The value to try in place of the rule's own. */
  value: number;
  /** How many of the examined hits would remain, and how many were examined. */
  left: number;
  of: number;
}

/** A value people would choose: two significant digits beyond what the peaks have in common. */
function rounded(value: number, up: boolean): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(Math.abs(value), 1e-9)) - 1);
  return Number(((up ? Math.ceil(value / size) : Math.floor(value / size)) * size).toPrecision(3));
}

/**
 * A threshold that about a third of a rule's hits exceed, computed from their peaks; null for conditions
 * without a single value, or with too few hits.
 */
export function suggestThreshold(condition: ConditionDraft, peaks: readonly (number | null)[]): Suggestion | null {
  const { operator, value } = condition;
  const above = operator === "gt" || operator === "gte";
  const below = operator === "lt" || operator === "lte";
  if (!comparesOverTime(condition) || typeof value !== "number" || (!above && !below)) return null;
  const known = peaks.filter((peak) => peak !== null).sort((a, b) => (above ? a - b : b - a));
  if (known.length < 10) return null;
  const suggested = rounded(known[Math.floor((known.length * 2) / 3)] ?? value, above);
  const left = known.filter((peak) => (above ? peak > suggested : peak < suggested)).length;
  const further = above ? suggested > value : suggested < value;
  return further && left < known.length ? { value: suggested, left, of: known.length } : null;
}
