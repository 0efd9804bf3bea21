import { z } from "zod";
import { listCorners } from "@/domain/annotations/rotated-box";
import type { Annotation } from "@/domain/tasks/schema";

/** Width and height in pixels. */
const PictureSize = z.object({ width: z.number().positive(), height: z.number().positive() });
export type PictureSize = z.output<typeof PictureSize>;

type Point = [number, number];

/** Shapes of people may stick out of their picture by this many pixels: they are clipped, and others refused. */
export const clippedOverhang = 1;

/** Pixels that no picture has; what lies farther away is cut as if it lay there, so that no difference overflows. */
const farthest = 1e9;

/** The size of an item's picture; null for items that are no pictures, and where it is not known. */
export const getPictureSize = (mediaType: string, metadata: unknown): PictureSize | null =>
  mediaType.startsWith("image/") ? (PictureSize.safeParse(metadata).data ?? null) : null;

/** Whether a mask is of another picture: it has the size of its own. */
export const isOfOtherPicture = (annotation: Annotation, { width, height }: PictureSize): boolean =>
  annotation.type === "mask" && (annotation.coordinates.size[0] !== height || annotation.coordinates.size[1] !== width);

/** The points of a shape, of a box its corners; none of what lies in no picture, and of a mask, which never leaves it. */
function listPoints(annotation: Annotation): readonly Point[] {
  switch (annotation.type) {
    case "bbox":
      return listCorners(annotation.coordinates);
    case "mask":
    case "cuboid":
    case "classification":
      return [];
    default:
      return annotation.coordinates.points;
  }
}

/** The points of a shape that are there: absent ones of a skeleton lie nowhere, whatever place they have. */
function listPresent(annotation: Annotation): readonly Point[] {
  const points = listPoints(annotation);
  if (annotation.type !== "keypoints") return points;
  const { visibility } = annotation.coordinates;
  return points.filter((_, at) => visibility?.[at] !== 0);
}

/** A shape with other points. A box that is turned stays as it is: moved corners would make it another shape. */
function withPoints(annotation: Annotation, points: Point[]): Annotation {
  switch (annotation.type) {
    case "bbox": {
      const [[x, y] = [0, 0], , [right, bottom] = [0, 0]] = points;
      if ((annotation.coordinates.rotation ?? 0) !== 0) return annotation;
      return { ...annotation, coordinates: { ...annotation.coordinates, x, y, width: right - x, height: bottom - y } };
    }
    case "mask":
    case "cuboid":
    case "classification":
      return annotation;
    default:
      return { ...annotation, coordinates: { ...annotation.coordinates, points } };
  }
}

const measurePoint = ([x, y]: Point, { width, height }: PictureSize): number =>
  Math.max(0, -x, x - width, -y, y - height);

/** How many pixels a shape sticks out of its picture; 0 for what lies in no picture. */
export const measureOverhang = (annotation: Annotation, size: PictureSize): number =>
  listPresent(annotation).reduce((most, point) => Math.max(most, measurePoint(point, size)), 0);

const movePoint = ([x, y]: Point, { width, height }: PictureSize): Point => [
  Math.min(Math.max(x, 0), width),
  Math.min(Math.max(y, 0), height),
];

const hasHoleOutside = (annotation: Annotation, size: PictureSize): boolean =>
  annotation.type === "polygon" &&
  (annotation.coordinates.holes ?? []).some((hole) => hole.some((point) => measurePoint(point, size) > 0));

/** A shape with other holes, without those that are flat; itself if it has none. */
function withHoles(annotation: Annotation, change: (hole: readonly Point[]) => Point[]): Annotation {
  if (annotation.type !== "polygon" || !annotation.coordinates.holes) return annotation;
  const holes = annotation.coordinates.holes.map(change).filter((hole) => !isFlat(hole));
  return { ...annotation, coordinates: { ...annotation.coordinates, holes } };
}

/** A shape whose points outside the picture are moved to its border. */
function moveInside(annotation: Annotation, size: PictureSize): Annotation {
  const move = (points: readonly Point[]) => points.map((point) => movePoint(point, size));
  return withHoles(withPoints(annotation, move(listPoints(annotation))), move);
}

/** The part of a line, or of the area in it, where `depth` is not negative; it follows the border where it was cut. */
function cut(points: readonly Point[], isClosed: boolean, depth: (point: Point) => number): Point[] {
  const kept: Point[] = [];
  for (const [at, point] of points.entries()) {
    const before = points.at(at - 1) ?? point;
    const [from, to] = [depth(before), depth(point)];
    if (Math.sign(from) * Math.sign(to) < 0 && (at > 0 || isClosed)) {
      const share = from / (from - to);
      kept.push([before[0] + share * (point[0] - before[0]), before[1] + share * (point[1] - before[1])]);
    }
    if (to >= 0) kept.push(point);
  }
  return kept;
}

function cutPoints(points: readonly Point[], isClosed: boolean, size: PictureSize): Point[] {
  const near = (value: number) => Math.min(Math.max(value, -farthest), farthest);
  const depths: readonly ((point: Point) => number)[] = [
    ([x]) => x,
    ([, y]) => y,
    ([x]) => size.width - x,
    ([, y]) => size.height - y,
  ];
  const all = points.map(([x, y]): Point => [near(x), near(y)]);
  return depths.reduce((left, depth) => cut(left, isClosed, depth), all).map((point) => movePoint(point, size));
}

const isFlat = (points: readonly Point[]): boolean =>
  points.every(([x]) => x === points[0]?.[0]) || points.every(([, y]) => y === points[0]?.[1]);

/**
 * A shape as far as its picture holds it: itself when it sticks out nowhere, null when nothing of it is inside. What
 * sticks out by a pixel at most is moved to the border; lines and areas that stick out further are cut there. Key points
 * are always moved, because their number and order have a meaning. Of a mask of another picture nothing is inside.
 */
export function clipToPicture(annotation: Annotation, size: PictureSize): Annotation | null {
  if (isOfOtherPicture(annotation, size)) return null;
  const overhang = measureOverhang(annotation, size);
  const cutHole = (hole: readonly Point[]) => cutPoints(hole, true, size);
  if (overhang === 0) return hasHoleOutside(annotation, size) ? withHoles(annotation, cutHole) : annotation;
  if (overhang <= clippedOverhang) return moveInside(annotation, size);
  switch (annotation.type) {
    case "polygon": {
      const points = cutPoints(annotation.coordinates.points, true, size);
      return isFlat(points) ? null : withHoles(withPoints(annotation, points), cutHole);
    }
    case "polyline": {
      const points = cutPoints(annotation.coordinates.points, false, size);
      return points.length < 2 ? null : withPoints(annotation, points);
    }
    case "keypoints":
      return listPresent(annotation).some((point) => measurePoint(point, size) <= clippedOverhang)
        ? moveInside(annotation, size)
        : null;
    default: {
      const points = listPoints(annotation).map((point) => movePoint(point, size));
      return isFlat(points) ? null : withPoints(annotation, points);
    }
  }
}
