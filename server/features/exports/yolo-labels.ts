import type { ExportLoss } from "@/domain/exports/schema";
import type { ClassNumbers } from "@/server/features/exports/format";
import type { SelectedItem, SelectedResult } from "@/server/features/exports/selection-queries";
import type { Tally } from "@/server/features/exports/tally";

type Annotation = SelectedResult["annotations"][number];

/** The extensions of the pictures that an archive holds. */
export const pictureExtensions: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
};

const getSize = ({ metadata }: SelectedItem) => metadata as { width?: number; height?: number };

/** Whether an archive holds the item: a picture whose size is known. */
export function isPicture(item: SelectedItem): boolean {
  const { width, height } = getSize(item);
  return pictureExtensions[item.media_type] !== undefined && Boolean(width) && Boolean(height);
}

/** What is lost with an annotation that has no bounds. */
const withoutBounds: Readonly<Record<string, ExportLoss>> = {
  polyline: "polyline_dropped",
  keypoints: "keypoints_dropped",
  cuboid: "cuboid_dropped",
  classification: "classification_dropped",
};

/** Left, top, right and bottom of a box or polygon; null for other types. */
function computeBounds({ type, coordinates }: Annotation): [number, number, number, number] | null {
  if (type === "bbox") {
    const { x, y, width, height } = coordinates as { x: number; y: number; width: number; height: number };
    return [x, y, x + width, y + height];
  }
  if (type !== "polygon") return null;
  const points = (coordinates as { points: [number, number][] }).points;
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

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

/** The numbers of classes by name. */
export const numberClasses = (classes: readonly string[]): ClassNumbers =>
  new Map(classes.map((name, at) => [name, at]));

/** The label file of an item: a line for each annotation that the format holds. Counts these and what it lacks. */
export function formatLabels(
  item: SelectedItem,
  results: readonly SelectedResult[],
  classes: ClassNumbers,
  tally: Tally,
): string {
  if (!isPicture(item)) {
    tally.lose("item_dropped");
    return "";
  }
  tally.addItem(results.length);
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
    if (Object.keys(annotation.attributes).length > 0) tally.lose("attributes_dropped");
  }
  return text;
}
