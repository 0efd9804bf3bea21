import { listCorners } from "@/domain/annotations/rotated-box";
import type { ExportLoss } from "@/domain/exports/schema";
import type { ClassNumbers } from "@/server/features/exports/class-numbers";
import type { Outline } from "@/server/features/exports/format";
import type { SelectedItem, SelectedResult } from "@/server/features/exports/selection-queries";
import { getPart } from "@/server/features/exports/split-queries";
import type { Tally } from "@/server/features/exports/tally";

type Annotation = SelectedResult["annotations"][number];

const getSize = ({ metadata }: SelectedItem) => metadata as { width?: number; height?: number };

/** What is lost with an annotation that has no bounds. */
const withoutBounds: Readonly<Record<string, ExportLoss>> = {
  polyline: "polyline_dropped",
  keypoints: "keypoints_dropped",
  cuboid: "cuboid_dropped",
  classification: "classification_dropped",
};

/** Left, top, right and bottom of a box, turned or not, or of a polygon; null for other types. */
function computeBounds({ type, coordinates }: Annotation): [number, number, number, number] | null {
  if (type !== "bbox" && type !== "polygon") return null;
  const points =
    type === "bbox"
      ? listCorners(coordinates as { x: number; y: number; width: number; height: number; rotation?: number })
      : (coordinates as { points: [number, number][] }).points;
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

const isTurned = ({ type, coordinates: { rotation } }: Annotation): boolean =>
  type === "bbox" && typeof rotation === "number" && rotation !== 0;

/** The line `class x y width height`: centre and size as fractions of the picture; null outside of it. */
export function yoloLine(annotation: Annotation, width: number, height: number, classes: ClassNumbers): string | null {
  const bounds = computeBounds(annotation);
  const at = classes.get(annotation.label);
  if (!bounds || at === undefined) return null;
  const within = (value: number, max: number) => Math.min(Math.max(value, 0), max) / max;
  const [left, top, right, bottom] = [
    within(bounds[0], width),
    within(bounds[1], height),
    within(bounds[2], width),
    within(bounds[3], height),
  ];
  if (right <= left || bottom <= top) return null;
  const fractions = [(left + right) / 2, (top + bottom) / 2, right - left, bottom - top];
  return `${at} ${fractions.map((fraction) => fraction.toFixed(6)).join(" ")}`;
}

/** A picture of an archive: an item, once for each project that labelled it. */
export interface LabelledPicture {
  /** Null unless the item is there for several projects. */
  project: string | null;
  /** The label file: a line for each annotation that the format holds. */
  labels: string;
}

/** Counts why an archive does not hold an item. */
function countLeftOut({ is_picture, is_labelled }: SelectedItem, tally: Tally): void {
  tally.lose(!is_picture ? "item_dropped" : is_labelled ? "undecided_dropped" : "unlabelled_dropped");
}

/**
 * What an archive holds of an item, in the order of the projects; nothing of one that is no picture. One that nobody
 * labelled, or that has no shape which the format can hold, is there only if wanted as background, because the trainer
 * reads an empty label file as the word that nothing is there. Counts this and what the format lacks.
 */
export function labelPictures(
  item: SelectedItem,
  results: readonly SelectedResult[],
  { classes, split, background }: Outline,
  tally: Tally,
): LabelledPicture[] {
  const isBackground = results.length === 0 && background && !item.is_labelled;
  if (!item.is_picture || (results.length === 0 && !isBackground)) {
    countLeftOut(item, tally);
    return [];
  }
  const part = getPart(split, item);
  if (isBackground) {
    tally.addItem(0);
    tally.lose("unlabelled_as_background");
    tally.addPicture(part);
    return [{ project: null, labels: "" }];
  }
  const projects = [...new Set(results.map(({ project_id }) => project_id))].toSorted();
  const pictures = projects.flatMap((project) => {
    const own = results.filter(({ project_id }) => project_id === project);
    const labels = formatLabels(item, own, classes.numbers, tally);
    const isUnboxed = labels === "" && own.some(({ annotations }) => annotations.length > 0);
    if (isUnboxed) tally.lose(background ? "unboxed_as_background" : "unboxed_dropped");
    return isUnboxed && !background ? [] : [{ project, labels, results: own.length }];
  });
  if (pictures.length === 0) return [];
  tally.addItem(pictures.reduce((sum, picture) => sum + picture.results, 0));
  if (pictures.length > 1) tally.lose("item_repeated");
  return pictures.map(({ project, labels }) => {
    tally.addPicture(part);
    return { project: pictures.length > 1 ? project : null, labels };
  });
}

function formatLabels(
  item: SelectedItem,
  results: readonly SelectedResult[],
  classes: ClassNumbers,
  tally: Tally,
): string {
  const { width = 1, height = 1 } = getSize(item);
  let text = "";
  for (const annotation of results.flatMap(({ annotations }) => annotations)) {
    const line = yoloLine(annotation, width, height, classes);
    if (line === null) {
      tally.lose(withoutBounds[annotation.type] ?? "outside_dropped");
      continue;
    }
    text += `${line}\n`;
    tally.addAnnotations(annotation.label);
    if (annotation.type === "polygon") tally.lose("polygon_to_box");
    if (isTurned(annotation)) tally.lose("rotation_dropped");
    if (Object.keys(annotation.attributes).length > 0) tally.lose("attributes_dropped");
  }
  return text;
}
