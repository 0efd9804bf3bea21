import { getKind } from "@/domain/conditions/registry";
import type { LeafEvidence } from "@/domain/conditions/schema-registry";

/** The values that a leaf compared its field with, where they can be drawn as lines beside the field. */
export function drawnThresholds(leaf: LeafEvidence): number[] {
  const { comparesOverTime, valueOnFieldScale } = getKind(leaf);
  if (!comparesOverTime || !valueOnFieldScale) return [];
  const values = Array.isArray(leaf.threshold) ? leaf.threshold : [leaf.threshold];
  return values.filter((value) => typeof value === "number");
}
