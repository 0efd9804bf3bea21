import { overlapMasks, readMask, type MaskFigure } from "@/domain/masks/mask-figure";
import { outlineMask } from "@/domain/masks/outline";
import type { Annotation } from "@/domain/tasks/schema";
import { boundPoints, measureRings, toBounds, type Bounds } from "./geometry";
import { measureOverlap, type Rings } from "./overlap";
import { listCorners } from "./rotated-box";

/** Annotations and shapes of drafts. */
type Shape = Annotation extends infer Each
  ? Each extends Annotation
    ? Pick<Each, "type" | "coordinates">
    : never
  : never;

/** The area of a shape: inside of lines, or pixels. */
export type Region =
  | { mask: null; rings: Rings; bounds: Bounds | null; /** Whether its bounds are its area. */ isUpright: boolean }
  | { mask: MaskFigure; bounds: Bounds; isUpright: false };

/** The area of a shape; null for what has none. */
export function toRegion(shape: Shape): Region | null {
  switch (shape.type) {
    case "bbox": {
      const corners = listCorners(shape.coordinates);
      const isUpright = (shape.coordinates.rotation ?? 0) === 0;
      return { mask: null, rings: [corners], bounds: boundPoints(corners), isUpright };
    }
    case "polygon": {
      const { points, holes = [] } = shape.coordinates;
      return { mask: null, rings: [points, ...holes], bounds: boundPoints(points), isUpright: false };
    }
    case "mask": {
      const mask = readMask(shape.coordinates);
      return mask && { mask, bounds: toBounds(mask), isUpright: false };
    }
    default:
      return null;
  }
}

/** In square pixels. */
export const measureRegion = (region: Region): number => (region.mask ? region.mask.area : measureRings(region.rings));

const listRings = (region: Region): Rings =>
  region.mask ? outlineMask(region.mask).map(({ points }) => points) : region.rings;

/** How much work it is to compare the region with another one. */
export const countPoints = (region: Region): number =>
  region.mask ? region.mask.runs.length : region.rings.reduce((count, ring) => count + ring.length, 0);

/** The share of two areas that both have: 0 for apart, 1 for equal. Of two masks by pixels. */
export const overlapRegions = (a: Region, b: Region): number =>
  a.mask && b.mask ? overlapMasks(a.mask, b.mask) : measureOverlap(listRings(a), listRings(b));
