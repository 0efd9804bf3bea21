import type { SeenField } from "@/domain/conditions/kind";
import { isOrdering, type FieldMode, type Operator } from "@/domain/conditions/operators";

const numeric = ["number", "enum", "time"];
export const holdsNumbers = ({ kinds }: SeenField): boolean => numeric.some((kind) => kinds.has(kind));

/** Warns where an operator needs numbers and the field holds none in the recordings. */
export function orderingWarnings(
  { operator, field, field_mode }: { operator: Operator; field: string; field_mode: FieldMode | undefined },
  seen: SeenField,
): string[] {
  if (!isOrdering(operator) || field_mode === "count" || holdsNumbers(seen)) return [];
  return seen.kinds.has("boolean")
    ? [`${field} of ${seen.topic} is true or false, which ${operator} cannot compare.`]
    : [`${field} of ${seen.topic} is text; ${operator} compares it only where the text is a number.`];
}
