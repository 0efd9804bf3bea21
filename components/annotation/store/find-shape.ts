import type { DraftShape } from "@/domain/annotations/draft-schema";
import type { EditorLabel } from "@/domain/annotations/editor-label";
import type { Point } from "@/domain/annotations/geometry";
import { getKind } from "../shapes/shape-kinds";

/**
 * Of shapes near a place the one that is meant: one whose line is there, else the smallest around it, because a small one
 * could not be reached inside of a large one otherwise. Of equal ones the topmost; null for none.
 */
export function findShapeAt(
  at: Point,
  near: readonly DraftShape[],
  reach: number,
  getLabel: (id: string) => EditorLabel | undefined,
): DraftShape | null {
  const found = near.flatMap((shape) => {
    const kind = getKind(shape);
    const how = kind.hit(shape, at, reach, getLabel(shape.label_id));
    return how ? [{ shape, rank: how === "line" ? -1 : (kind.measure(shape) ?? 0) }] : [];
  });
  return found.toSorted((a, b) => a.rank - b.rank || b.shape.position - a.shape.position)[0]?.shape ?? null;
}
