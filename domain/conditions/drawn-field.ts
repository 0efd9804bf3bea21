import { compareNumbers, isCountOperator } from "@/domain/conditions/operators";
import type { LeafEvidence } from "@/domain/conditions/schema-registry";

/** The field's path as links and plots name it: `/motor/temp.data.value`. */
export const plotPath = ({ topic, field }: Pick<LeafEvidence, "topic" | "field">): string =>
  field === null ? topic : `${topic}.${field}`;

/**
 * The one field of a leaf that can be drawn over time. Of a rule over every element (`effort[:]`) it is the first
 * element that triggered it; null where that is not known.
 */
export function drawnField({ field, value, operator, threshold }: LeafEvidence): string | null {
  if (field === null || !field.includes("[:]")) return field;
  if (!Array.isArray(value) || field.split("[:]").length > 2) return null;
  const holds = isCountOperator(operator) && typeof threshold === "number" ? compareNumbers[operator] : null;
  const at = value.findIndex((each) => typeof each === "number" && holds?.(each, Number(threshold)));
  return field.replace("[:]", `[${Math.max(0, at)}]`);
}
