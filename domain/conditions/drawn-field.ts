import { readList } from "@/domain/conditions/elements";
import type { LeafEvidence } from "@/domain/conditions/schema-registry";

/** The field's path as links and plots name it: `/motor/temp.data.value`. */
export const plotPath = ({ topic, field }: Pick<LeafEvidence, "topic" | "field">): string =>
  field === null ? topic : `${topic}.${field}`;

/**
 * The one field of a leaf that can be drawn over time. Of a rule over every element (`effort[:]`) it is the element that
 * was farthest beyond the limit; null where that is not known.
 */
export function drawnField(leaf: LeafEvidence): string | null {
  const { field, value } = leaf;
  if (field === null || !field.includes("[:]")) return field;
  if (!Array.isArray(value) || field.split("[:]").length > 2) return null;
  return field.replace("[:]", `[${readList(leaf)?.worst ?? 0}]`);
}
