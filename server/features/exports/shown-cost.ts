import type { Point } from "@/domain/annotations/geometry";
import { measureEdges } from "@/domain/masks/row-runs";
import type { Annotation } from "@/domain/tasks/schema";
import type { SelectedItem, SelectedResult } from "@/server/features/exports/selection-queries";
import { getSize, readRuns, toAnnotation, type Size } from "@/server/features/exports/shapes";

/**
 * What the shapes of an item that is shown may cost together: about as much as pixels along their edges. Files of items with more are
 * written, but not shown, because that would take seconds in every format.
 */
const maxCost = 2_000_000;
/** Of any shape, and of a corner, which may have to be joined with rings far away. */
const shapeCost = 100;
const cornerCost = 20;

function measureRing(ring: readonly Point[], { width, height }: Size): number {
  let cost = 0;
  let [beforeX, beforeY] = ring.at(-1) ?? [0, 0];
  for (const [x, y] of ring) {
    cost += cornerCost + Math.min(Math.abs(x - beforeX), width) + Math.min(Math.abs(y - beforeY), height);
    [beforeX, beforeY] = [x, y];
  }
  return cost;
}

function measure(annotation: Annotation, size: Size): number {
  if (annotation.type === "polygon") {
    const { points, holes = [] } = annotation.coordinates;
    return [points, ...holes].reduce((sum, ring) => sum + measureRing(ring, size), shapeCost);
  }
  if (annotation.type !== "mask") return shapeCost;
  const [, , width, height] = annotation.coordinates.box;
  const { length, corners } = measureEdges(readRuns(annotation.coordinates), height, maxCost);
  return shapeCost + width + length + cornerCost * corners;
}

/** Whether an item with its results is small enough to be shown as the files of an export hold it. */
export function canBeShown(item: SelectedItem, results: readonly SelectedResult[]): boolean {
  const size = getSize(item);
  let cost = 0;
  return !results.some(({ annotations }) =>
    annotations.some((stored) => (cost += measure(toAnnotation(stored), size)) > maxCost),
  );
}
