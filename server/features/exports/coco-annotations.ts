import type { Bounds, Point } from "@/domain/annotations/geometry";
import { listCorners } from "@/domain/annotations/rotated-box";
import type { ExportLoss } from "@/domain/exports/schema";
import { toPictureRuns } from "@/domain/masks/fill";
import { cropRuns, formatRuns, measureRuns, padRuns } from "@/domain/masks/run-lengths";
import type { Label } from "@/domain/projects/label-schema";
import type { Annotation } from "@/domain/tasks/schema";
import type { Classes } from "@/server/features/exports/class-numbers";
import type { Composed } from "@/server/features/exports/pictures";
import {
  boundAnnotation,
  clipBounds,
  hasHoles,
  isTurned,
  listKeypoints,
  readRuns,
  toDrop,
  type MaskShape,
  type Size,
} from "@/server/features/exports/shapes";
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
const measureRing = (ring: readonly Point[], size: Size): number => measureRuns(toPictureRuns([ring], size));

const toPolygon = (points: readonly Point[], bounds: Bounds, size: Size): Shape => ({
  bbox: toBox(bounds),
  area: measureRing(points, size),
  segmentation: [points.flat()],
});

/** Run lengths of a whole picture; null for a mask without a pixel. */
function toMask(runs: readonly number[], { width, height }: Size): Shape | null {
  const cropped = cropRuns(runs, height);
  return (
    cropped && {
      bbox: [cropped.box.x, cropped.box.y, cropped.box.width, cropped.box.height],
      area: measureRuns(runs),
      segmentation: { size: [height, width], counts: formatRuns(runs) },
    }
  );
}

function padMask(mask: MaskShape): Shape | null {
  const { box, size } = mask;
  const [x, y, width, height] = box;
  const [pictureHeight, pictureWidth] = size;
  const picture = { width: pictureWidth, height: pictureHeight };
  return toMask(padRuns(readRuns(mask), { x, y, width, height }, picture), picture);
}

/** What COCO holds of an annotation, with what is lost in it; or what is lost with it. */
function toShape(annotation: Annotation, size: Size): { shape: Shape; loss?: ExportLoss } | ExportLoss {
  if (annotation.type === "keypoints") return { shape: toSkeleton(annotation, size) };
  if (annotation.type !== "bbox" && annotation.type !== "polygon" && annotation.type !== "mask")
    return toDrop(annotation.type);
  const bounds = boundAnnotation(annotation);
  if (!bounds || !clipBounds(bounds, size)) return "outside_dropped";
  switch (annotation.type) {
    case "bbox": {
      if (isTurned(annotation))
        return {
          shape: toPolygon(listCorners(annotation.coordinates), bounds, size),
          loss: "rotated_to_polygon",
        };
      const { x, y, width, height } = annotation.coordinates;
      return { shape: { bbox: [x, y, width, height], area: width * height, segmentation: [] } };
    }
    case "polygon": {
      const { points, holes = [] } = annotation.coordinates;
      if (!hasHoles(annotation.coordinates)) return { shape: toPolygon(points, bounds, size) };
      const shape = toMask(toPictureRuns([points, ...holes], size), size);
      return shape ? { shape, loss: "holes_to_mask" } : "outside_dropped";
    }
    case "mask": {
      const shape = padMask(annotation.coordinates);
      return shape ? { shape } : "outside_dropped";
    }
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
export function composeCoco(
  annotations: readonly Annotation[],
  size: Size,
  { numbers }: Classes,
  tally: Tally,
): Composed<CocoAnnotation[]> {
  const content: CocoAnnotation[] = [];
  for (const annotation of annotations) {
    const made = toShape(annotation, size);
    const number = numbers.get(annotation.label);
    if (typeof made === "string" || number === undefined) {
      tally.lose(typeof made === "string" ? made : "outside_dropped");
      continue;
    }
    if (made.loss) tally.lose(made.loss);
    tally.addAnnotations(annotation.label);
    const { attributes } = annotation;
    const track = attributes.track === undefined ? {} : { track_id: attributes.track };
    content.push({ category_id: toCategory(number), ...made.shape, iscrowd: 0, attributes, ...track });
  }
  return { content, shapes: content.length };
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
