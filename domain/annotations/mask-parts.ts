import type { MaskRing } from "@/domain/masks/outline";
import { isInArea, measureArea } from "./geometry";

/** A part of a mask that no other touches by a side: the line around it, and those around its holes. */
export interface MaskPart {
  outer: MaskRing["points"];
  holes: MaskRing["points"][];
}

/** The parts of a mask, the largest first, each with its holes. */
export function listParts(rings: readonly MaskRing[]): MaskPart[] {
  const parts = rings
    .filter(({ isHole }) => !isHole)
    .map(({ points }) => ({ outer: points, holes: [] as MaskPart["holes"], area: measureArea(points) }))
    .toSorted((a, b) => b.area - a.area);
  for (const { points, isHole } of rings) {
    const [first] = points;
    if (!isHole || !first) continue;
    // The pixel left of its leftmost line; of parts around it, the smallest is the nearest.
    const beside: [number, number] = [first[0] - 0.5, first[1] + 0.5];
    parts.findLast(({ outer }) => isInArea(beside, outer))?.holes.push(points);
  }
  return parts.map(({ outer, holes }) => ({ outer, holes }));
}
