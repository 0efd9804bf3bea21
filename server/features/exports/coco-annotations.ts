import type { Bounds, Point } from "@/domain/annotations/geometry";
import { listCorners } from "@/domain/annotations/rotated-box";
import type { ExportLoss } from "@/domain/exports/schema";
import { countInside, toPictureRuns } from "@/domain/masks/fill";
import { boundRuns, formatRuns, measureRuns, padRuns } from "@/domain/masks/run-lengths";
import type { Label } from "@/domain/projects/label-schema";
import type { Annotation } from "@/domain/tasks/schema";
import type { Classes } from "@/server/features/exports/class-numbers";
import type { Composed } from "@/server/features/exports/pictures";
import {
  boundAnnotation,
  clipBounds,
  hasHoles,
  hasPixel,
  isTurned,
  listKeypoints,
  readRuns,
  toDrop,
  type MaskShape,
  type Size,
} from "@/server/features/exports/shapes";
import type { Steps } from "@/server/features/exports/steps";
import type { Tally } from "@/server/features/exports/tally";

/** COCO numbers categories from 1. */
const toCategory = (classNumber: number): number => classNumber + 1;

/** An annotation of the document, without its number and that of its picture. */
export interface CocoAnnotation {
  category_id: number;
  /** Left, top, width and height in pixels. */
  bbox: [number, number, number, number];
  area: number;
  /** Outlines, or run lengths of the whole picture. */
  segmentation: number[][] | { size: [height: number, width: number]; counts: string };
  iscrowd: 0;
  /** x, y and visibility of each point. */
  keypoints?: number[];
  num_keypoints?: number;
  attributes: Record<string, unknown>;
  track_id?: unknown;
}

type Shape = Omit<CocoAnnotation, "category_id" | "iscrowd" | "attributes" | "track_id">;

const toBox = ({ left, top, right, bottom }: Bounds): Shape["bbox"] => [left, top, right - left, bottom - top];

/** Areas of polygons are pixels, as COCO's own are. */
const toPolygon = (points: readonly Point[], bounds: Bounds, size: Size): Shape => ({
  bbox: toBox(bounds),
  area: countInside([points], size),
  segmentation: [points.flat()],
});

/** Run lengths of a whole picture, in which a pixel is in the mask. */
function toMask(runs: readonly number[], { width, height }: Size): Shape {
  const box = boundRuns(runs, height) ?? { x: 0, y: 0, width: 0, height: 0 };
  return {
    bbox: [box.x, box.y, box.width, box.height],
    area: measureRuns(runs),
    segmentation: { size: [height, width], counts: formatRuns(runs) },
  };
}

function padMask(mask: MaskShape): Shape {
  const { box, size } = mask;
  const [x, y, width, height] = box;
  const [pictureHeight, pictureWidth] = size;
  const picture = { width: pictureWidth, height: pictureHeight };
  return toMask(padRuns(readRuns(mask), { x, y, width, height }, picture), picture);
}

/** What COCO holds of an annotation, with what is lost in it; or what is lost with it. */
function* toShape(annotation: Annotation, size: Size): Steps<{ make: () => Shape; loss?: ExportLoss } | ExportLoss> {
  if (annotation.type === "keypoints") return { make: () => toSkeleton(annotation, size) };
  if (annotation.type !== "bbox" && annotation.type !== "polygon" && annotation.type !== "mask")
    return toDrop(annotation.type);
  const bounds = boundAnnotation(annotation);
  if (!bounds || !clipBounds(bounds, size)) return "outside_dropped";
  switch (annotation.type) {
    case "bbox": {
      if (isTurned(annotation))
        return {
          make: () => toPolygon(listCorners(annotation.coordinates), bounds, size),
          loss: "rotated_to_polygon",
        };
      const { x, y, width, height } = annotation.coordinates;
      return { make: () => ({ bbox: [x, y, width, height], area: width * height, segmentation: [] }) };
    }
    case "polygon": {
      const { points, holes = [] } = annotation.coordinates;
      if (!hasHoles(annotation.coordinates)) return { make: () => toPolygon(points, bounds, size) };
      if (!(yield* hasPixel(annotation.coordinates, size))) return "outside_dropped";
      return { make: () => toMask(toPictureRuns([points, ...holes], size), size), loss: "holes_to_mask" };
    }
    case "mask":
      return { make: () => padMask(annotation.coordinates) };
  }
}

/** Points that are absent are 0, as COCO has them. The box is that around the others. */
function toSkeleton(annotation: Extract<Annotation, { type: "keypoints" }>, size: Size): Shape {
  const keypoints = listKeypoints(annotation.coordinates);
  const bounds = boundAnnotation(annotation) ?? { left: 0, top: 0, right: 0, bottom: 0 };
  const clipped = clipBounds(bounds, size) ?? bounds;
  const [x, y, width, height] = toBox(clipped);
  return {
    bbox: [x, y, width, height],
    area: width * height,
    segmentation: [],
    keypoints: keypoints.flatMap(({ at, seen }) => (seen === 0 ? [0, 0, 0] : [...at, seen])),
    num_keypoints: keypoints.filter(({ seen }) => seen > 0).length,
  };
}

/** What COCO holds of annotations, and counts what it lacks. */
export function* composeCoco(
  annotations: readonly Annotation[],
  size: Size,
  { numbers }: Classes,
  tally: Tally,
): Steps<Composed<CocoAnnotation[]>> {
  const held: (() => CocoAnnotation)[] = [];
  for (const annotation of annotations) {
    yield;
    const made = yield* toShape(annotation, size);
    const number = numbers.get(annotation.label);
    if (typeof made === "string" || number === undefined) {
      tally.lose(typeof made === "string" ? made : "outside_dropped");
      continue;
    }
    if (made.loss) tally.lose(made.loss);
    tally.addAnnotations(annotation.label);
    const { attributes } = annotation;
    const track = attributes.track === undefined ? {} : { track_id: attributes.track };
    held.push(() => ({ category_id: toCategory(number), ...made.make(), iscrowd: 0, attributes, ...track }));
  }
  return { make: () => held.map((make) => make()), shapes: held.length };
}

/** A category of the document; one with a skeleton names its points, and counts them from 1 where it connects them. */
const toCategoryEntry = (number: number, name: string, label: Label | undefined) => ({
  id: toCategory(number),
  name,
  supercategory: "",
  ...(label &&
    label.points.length > 0 && {
      keypoints: label.points,
      skeleton: label.edges.map(([from, to]) => [from + 1, to + 1]),
    }),
});

/** The categories of the document, without numbers that no label has any more. */
export const listCategories = ({ names, numbers, labels }: Classes) =>
  names.flatMap((name, number) =>
    numbers.get(name) === number ? [toCategoryEntry(number, name, labels.get(number))] : [],
  );
