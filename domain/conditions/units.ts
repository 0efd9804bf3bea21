import { parsePath, PathError, plainPath } from "@/domain/conditions/path";
import type { LeafEvidence } from "@/domain/conditions/schema-registry";

/** The unit that a schema names for a field of a topic. */
export interface FieldUnit {
  topic: string;
  path: string;
  unit: string;
}

/** The path without its indices, as units are found by; null where it cannot be read. */
function toPlainPath(field: string, topic: string): string | null {
  try {
    return plainPath(parsePath(field, topic));
  } catch (error) {
    if (error instanceof PathError) return null;
    throw error;
  }
}

/** Evidence with the units of its fields. */
export function addUnits(leaves: readonly LeafEvidence[], fields: readonly FieldUnit[]): LeafEvidence[] {
  const units = new Map(fields.map(({ topic, path, unit }) => [`${topic} ${toPlainPath(path, "")}`, unit]));
  return leaves.map((leaf) => {
    const unit = leaf.field === null ? undefined : units.get(`${leaf.topic} ${toPlainPath(leaf.field, leaf.topic)}`);
    return unit === undefined ? leaf : { ...leaf, unit };
  });
}
