import type { ConditionKind, DraftOf } from "@/domain/conditions/kind";
import { durationPhrase } from "@/domain/conditions/phrases";

export interface CompositeCondition<Part> {
  type: "composite";
  operator: "and" | "or";
  conditions: Part[];
  /** Extends every child's episodes, so that two momentary ones can coincide. */
  hold?: string | undefined;
  timestamp_source?: "log_time" | undefined;
  keep_for?: string | undefined;
  cooldown?: string | undefined;
}

export const composite: ConditionKind<DraftOf<CompositeCondition<never>>> = {
  label: "Combination",
  example: "all or any of several conditions",
  initial: { type: "composite", operator: "and", conditions: [] },
  isComplete: ({ conditions = [] }) => conditions.length > 0,
};

/** Joins the descriptions of the parts; `nested` where the composite is itself a part. */
export function describeComposite(
  { operator, hold, keep_for }: CompositeCondition<unknown>,
  parts: readonly string[],
  nested: boolean,
): string {
  const joined = parts.join(` ${operator} `);
  const extras = durationPhrase("held for", hold) + durationPhrase("kept for", keep_for);
  const grouped = (nested || extras !== "") && parts.length > 1;
  return (grouped ? `(${joined})` : joined) + extras;
}
