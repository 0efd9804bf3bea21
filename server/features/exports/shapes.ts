import { boundPoints, toBounds, type Bounds, type Point } from "@/domain/annotations/geometry";
import { listCorners } from "@/domain/annotations/rotated-box";
import type { ExportLoss } from "@/domain/exports/schema";
import { RingColumns } from "@/domain/masks/fill";
import { orientRings, turnRing } from "@/domain/masks/joined-rings";
import { readMask } from "@/domain/masks/mask-figure";
import { outlineMask } from "@/domain/masks/outline";
import { boundRuns, parseRuns } from "@/domain/masks/run-lengths";
import type { Annotation, StoredAnnotation } from "@/domain/tasks/schema";
import type { SelectedItem } from "@/server/features/exports/selection-queries";
import type { Steps } from "@/server/features/exports/steps";

export interface Size {
  width: number;
  height: number;
}

/** The size of a picture, which `is_picture` says that it has. */
export const getSize = ({ metadata }: SelectedItem): Size => {
  const { width = 1, height = 1 } = metadata as Partial<Size>;
  return { width, height };
};

/** A stored annotation by its type: it had this schema when it was submitted. */
export const toAnnotation = (stored: StoredAnnotation): Annotation => stored as Annotation;

export type MaskShape = Extract<Annotation, { type: "mask" }>["coordinates"];
type PolygonShape = Extract<Annotation, { type: "polygon" }>["coordinates"];
type KeypointsShape = Extract<Annotation, { type: "keypoints" }>["coordinates"];

/** What is lost with an annotation of a type that a format does not hold. */
const drops: Readonly<Record<string, ExportLoss>> = {
  bbox: "box_dropped",
  polygon: "polygon_dropped",
  mask: "mask_dropped",
  polyline: "polyline_dropped",
  keypoints: "keypoints_dropped",
  cuboid: "cuboid_dropped",
  classification: "classification_dropped",
};
export const toDrop = (type: string): ExportLoss => drops[type] ?? "outside_dropped";

/** What Muster itself notes of a shape. */
const notedKeys: ReadonlySet<string> = new Set(["id", "order", "run", "source"]);

/** Whether a shape has attributes that people chose. */
export const hasAttributes = ({ attributes }: Annotation): boolean =>
  Object.keys(attributes).some((key) => !notedKeys.has(key));

/** Whether a box is turned. */
export const isTurned = (annotation: Annotation): boolean =>
  annotation.type === "bbox" && (annotation.coordinates.rotation ?? 0) !== 0;

export const hasHoles = ({ holes }: PolygonShape): boolean => holes !== undefined && holes.length > 0;

/** The points of a skeleton with their visibility: 0 absent, 1 hidden, 2 seen. */
export const listKeypoints = ({ points, visibility }: KeypointsShape): { at: Point; seen: 0 | 1 | 2 }[] =>
  points.map((at, index) => ({ at, seen: visibility?.[index] ?? 2 }));

/** The runs of a mask's box. */
export const readRuns = ({ counts }: MaskShape): number[] => parseRuns(counts) ?? [];

const knownBounds = new WeakMap<MaskShape, Bounds | null>();

/** The smallest bounds around a mask's pixels; null for none. They are found once, because every format asks for them. */
function boundMask(mask: MaskShape): Bounds | null {
  const known = knownBounds.get(mask);
  if (known !== undefined) return known;
  const [left, top, , height] = mask.box;
  const box = boundRuns(readRuns(mask), height);
  const bounds = box && toBounds({ ...box, x: box.x + left, y: box.y + top });
  knownBounds.set(mask, bounds);
  return bounds;
}

/** Columns that are looked at between two pauses. */
const columnsOfStep = 64;

/** Whether a pixel has its middle inside of a polygon. */
export function* hasPixel({ points, holes = [] }: PolygonShape, size: Size): Steps<boolean> {
  const columns = new RingColumns([points, ...holes], size);
  for (let { first: x } = columns; x < columns.end; x += 1) {
    if (columns.cut(x).length > 0) return true;
    if (x % columnsOfStep === 0) yield;
  }
  return false;
}

/** The bounds of what an annotation marks: of points those that are there; null for what lies in no picture. */
export function boundAnnotation(annotation: Annotation): Bounds | null {
  switch (annotation.type) {
    case "bbox":
      return boundPoints(listCorners(annotation.coordinates));
    case "mask":
      return boundMask(annotation.coordinates);
    case "polygon":
    case "polyline":
      return boundPoints(annotation.coordinates.points);
    case "keypoints":
      return boundPoints(
        listKeypoints(annotation.coordinates)
          .filter(({ seen }) => seen > 0)
          .map(({ at }) => at),
      );
    default:
      return null;
  }
}

/** Bounds as far as they are in the picture; null where nothing is left of them. */
export function clipBounds({ left, top, right, bottom }: Bounds, { width, height }: Size): Bounds | null {
  const within = (value: number, max: number) => Math.min(Math.max(value, 0), max);
  const clipped = {
    left: within(left, width),
    top: within(top, height),
    right: within(right, width),
    bottom: within(bottom, height),
  };
  return clipped.right > clipped.left && clipped.bottom > clipped.top ? clipped : null;
}

/** The rings of a polygon or of a mask: clockwise around parts, counterclockwise around holes. */
export function listRings(annotation: Extract<Annotation, { type: "polygon" | "mask" }>): (readonly Point[])[] {
  if (annotation.type === "polygon")
    return orientRings(annotation.coordinates.points, annotation.coordinates.holes ?? []);
  const figure = readMask(annotation.coordinates);
  const rings = figure ? outlineMask(figure) : [];
  return rings.map(({ points, isHole }) => turnRing(points, !isHole));
}
