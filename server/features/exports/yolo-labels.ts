import { boxBetween, type Bounds, type Point } from "@/domain/annotations/geometry";
import { listCorners } from "@/domain/annotations/rotated-box";
import type { YoloFormat } from "@/domain/exports/formats";
import type { ExportLoss } from "@/domain/exports/schema";
import { joinRings } from "@/domain/masks/joined-rings";
import type { Annotation } from "@/domain/tasks/schema";
import type { ClassNumbers } from "@/server/features/exports/class-numbers";
import type { Outline } from "@/server/features/exports/format";
import type { Composed } from "@/server/features/exports/pictures";
import {
  boundAnnotation,
  clipBounds,
  hasAttributes,
  isTurned,
  listKeypoints,
  listRings,
  toDrop,
  type Size,
} from "@/server/features/exports/shapes";
import type { Steps } from "@/server/features/exports/steps";
import type { Tally } from "@/server/features/exports/tally";

/** The columns after the class of a line, fractions of the picture and visibilities, and what is lost in them. */
interface Line {
  columns: () => readonly (number | Visibility)[];
  losses: readonly ExportLoss[];
}
interface Visibility {
  seen: 0 | 1 | 2;
}

/** The columns of an annotation, or what is lost with it. */
type LineWriter = (annotation: Annotation, size: Size, of: Skeleton) => Line | ExportLoss;

/** How many points a skeleton has, null for as many as are there, and the box that belongs to it, if any. */
interface Skeleton {
  points: number | null;
  box: Bounds | null;
}

const within = (value: number, max: number): number => Math.min(Math.max(value, 0), max) / max;

const toFractions = (points: readonly Point[], { width, height }: Size): number[] =>
  points.flatMap(([x, y]) => [within(x, width), within(y, height)]);

/** Centre and size. */
function toCentre({ left, top, right, bottom }: Bounds, size: Size): number[] {
  const [l = 0, t = 0, r = 0, b = 0] = toFractions(
    [
      [left, top],
      [right, bottom],
    ],
    size,
  );
  return [(l + r) / 2, (t + b) / 2, r - l, b - t];
}

const isArea = ({ type }: Annotation): boolean => type === "bbox" || type === "polygon" || type === "mask";

/** What becomes of an area of which a format holds the bounds alone. */
const boundLosses: Readonly<Record<string, readonly ExportLoss[]>> = {
  polygon: ["polygon_to_box"],
  mask: ["mask_to_box"],
};

const writeBox: LineWriter = (annotation, size) => {
  if (!isArea(annotation)) return toDrop(annotation.type);
  const bounds = boundAnnotation(annotation);
  const clipped = bounds && clipBounds(bounds, size);
  if (!clipped) return "outside_dropped";
  const losses = isTurned(annotation) ? (["rotation_dropped"] as const) : (boundLosses[annotation.type] ?? []);
  return { columns: () => toCentre(clipped, size), losses };
};

/** The outline of an area as one ring: lines to holes and further parts enclose nothing. */
const writeOutline: LineWriter = (annotation, size) => {
  if (annotation.type !== "polygon" && annotation.type !== "mask") return toDrop(annotation.type);
  const bounds = boundAnnotation(annotation);
  if (!bounds || !clipBounds(bounds, size)) return "outside_dropped";
  const columns = () => toFractions(joinRings(listRings(annotation)), size);
  return { columns, losses: annotation.type === "mask" ? ["mask_to_polygon"] : [] };
};

/** Four corners, clockwise from the one that is the top left before the box is turned. */
const writeCorners: LineWriter = (annotation, size) => {
  if (!isArea(annotation)) return toDrop(annotation.type);
  const bounds = boundAnnotation(annotation);
  if (!bounds || !clipBounds(bounds, size)) return "outside_dropped";
  const box =
    annotation.type === "bbox"
      ? annotation.coordinates
      : boxBetween([bounds.left, bounds.top], [bounds.right, bounds.bottom]);
  const corners = listCorners(box);
  const isMoved = isTurned(annotation) && corners.some(([x, y]) => x < 0 || y < 0 || x > size.width || y > size.height);
  const losses = [...(boundLosses[annotation.type] ?? []), ...(isMoved ? (["corners_moved"] as const) : [])];
  return { columns: () => toFractions(corners, size), losses };
};

/** A box and the points in it with their visibility: the box of its group, or that around the points. */
const writeKeypoints: LineWriter = (annotation, size, { points, box }) => {
  if (annotation.type !== "keypoints") return toDrop(annotation.type);
  const keypoints = listKeypoints(annotation.coordinates);
  const count = points ?? keypoints.length;
  if (keypoints.length > count) return "keypoints_dropped";
  const bounds = box ?? boundAnnotation(annotation);
  const clipped = bounds && clipBounds(bounds, size);
  if (!clipped) return "outside_dropped";
  const columns = () => [
    ...toCentre(clipped, size),
    ...Array.from({ length: count }, (_, at) => keypoints[at]).flatMap((keypoint) =>
      keypoint && keypoint.seen > 0
        ? [...toFractions([keypoint.at], size), { seen: keypoint.seen }]
        : [0, 0, { seen: 0 as const }],
    ),
  ];
  return { columns, losses: [] };
};

const writers: Readonly<Record<YoloFormat, LineWriter>> = {
  YOLO: writeBox,
  "YOLO-segment": writeOutline,
  "YOLO-pose": writeKeypoints,
  "YOLO-OBB": writeCorners,
};

const formatColumn = (column: number | Visibility): string =>
  typeof column === "number" ? column.toFixed(6) : String(column.seen);

/** The line of an annotation: its class and columns; what is lost with it where there is none. */
function formatLine(
  annotation: Annotation,
  size: Size,
  format: YoloFormat,
  classes: ClassNumbers,
  of: Skeleton,
): { make: () => string; losses: readonly ExportLoss[] } | ExportLoss {
  const line = writers[format](annotation, size, of);
  if (typeof line === "string") return line;
  const at = classes.get(annotation.label);
  if (at === undefined) return "outside_dropped";
  return { make: () => `${at} ${line.columns().map(formatColumn).join(" ")}\n`, losses: line.losses };
}

/** The boxes that belong to points of the same label in the same group. */
function pairBoxes(annotations: readonly Annotation[]): ReadonlyMap<Annotation, Annotation> {
  const key = ({ label, attributes: { group } }: Annotation) =>
    typeof group === "string" ? `${group} ${label}` : undefined;
  const boxes = new Map(annotations.filter(({ type }) => type === "bbox").map((box) => [key(box), box]));
  return new Map(
    annotations.flatMap((annotation) => {
      const box = key(annotation) === undefined ? undefined : boxes.get(key(annotation));
      return annotation.type === "keypoints" && box ? [[annotation, box] as const] : [];
    }),
  );
}

/** A label file: a line for each annotation that the format holds. Counts them, and what it lacks. */
export function* formatLabels(
  annotations: readonly Annotation[],
  size: Size,
  format: YoloFormat,
  { classes: { numbers }, points }: Outline,
  tally: Tally,
): Steps<Composed<string>> {
  const pairs = format === "YOLO-pose" ? pairBoxes(annotations) : new Map<Annotation, Annotation>();
  const paired = new Set(pairs.values());
  const held: (() => string)[] = [];
  for (const annotation of annotations.filter((each) => !paired.has(each))) {
    yield;
    const box = pairs.get(annotation);
    const of = { points, box: box ? boundAnnotation(box) : null };
    const line = formatLine(annotation, size, format, numbers, of);
    if (typeof line === "string") {
      tally.lose(line);
      continue;
    }
    held.push(line.make);
    tally.addAnnotations(annotation.label);
    for (const loss of line.losses) tally.lose(loss);
    if (hasAttributes(annotation)) tally.lose("attributes_dropped");
  }
  return { make: () => held.map((make) => make()).join(""), shapes: held.length };
}
