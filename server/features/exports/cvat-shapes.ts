import type { Point } from "@/domain/annotations/geometry";
import type { ExportLoss } from "@/domain/exports/schema";
import { toPictureRuns } from "@/domain/masks/fill";
import { encodeRows } from "@/domain/masks/row-runs";
import { cropRuns, decodeRuns } from "@/domain/masks/run-lengths";
import type { Label } from "@/domain/projects/label-schema";
import type { Annotation } from "@/domain/tasks/schema";
import type { Classes } from "@/server/features/exports/class-numbers";
import { element, escapeText } from "@/server/features/exports/markup";
import type { Composed } from "@/server/features/exports/pictures";
import {
  boundAnnotation,
  clipBounds,
  hasHoles,
  isTurned,
  listKeypoints,
  readRuns,
  toDrop,
  type Size,
} from "@/server/features/exports/shapes";
import type { Tally } from "@/server/features/exports/tally";

/** Attributes that CVAT has members for, or that only Muster knows. */
const ownKeys: ReadonlySet<string> = new Set(["id", "occluded", "order", "source", "group", "run"]);
/** Of each label the attributes that results have, as far as there are so many. */
export type SeenAttributes = Map<string, Set<string>>;
const maxSeen = 100;

type Members = Readonly<Record<string, string | number | undefined>>;

/** Lengths in pixels as far as ten thousandths. */
const toText = (value: number): string => String(Number(value.toFixed(4)));

const formatPoints = (points: readonly Point[]): string =>
  points.map(([x, y]) => `${toText(x)},${toText(y)}`).join(";");

const toFlag = (value: unknown): number => (value === true ? 1 : 0);

/** Whether people or a model made it, in CVAT's words. */
const toSource = (source: unknown): string =>
  source === "model" ? "auto" : source === "model_edited" ? "semi-auto" : source === "imported" ? "file" : "manual";

/** The value of an attribute as text; several are a list. */
const toValue = (value: unknown): string =>
  typeof value === "string"
    ? value
    : Array.isArray(value)
      ? value.map(toValue).join(", ")
      : JSON.stringify(value ?? "");

/** The attributes of a shape as elements, noted as those of its label. */
function listAttributes(attributes: Annotation["attributes"], noted: Set<string>): { text: string; isWhole: boolean } {
  const all = Object.entries(attributes).filter(([key]) => !ownKeys.has(key));
  const held = all.filter(([key]) => noted.has(key) || noted.size < maxSeen);
  for (const [key] of held) noted.add(key);
  const text = held.map(([key, value]) => element("attribute", { name: key }, escapeText(toValue(value)))).join("");
  return { text, isWhole: held.length === all.length };
}

/** A mask as CVAT has it: runs of its box row by row. */
const toMask = (pixels: Uint8Array, box: { x: number; y: number; width: number; height: number }): Members => ({
  rle: encodeRows(pixels).join(", "),
  left: box.x,
  top: box.y,
  width: box.width,
  height: box.height,
});

/** An element of CVAT, its members and elements in it, and what is lost in it. */
interface Shape {
  name: string;
  members?: Members;
  content?: string;
  losses?: readonly ExportLoss[];
}

function toSkeleton(annotation: Extract<Annotation, { type: "keypoints" }>, label: Label | undefined): Shape {
  const keypoints = listKeypoints(annotation.coordinates);
  if (label?.points.length === keypoints.length) {
    const points = keypoints.map(({ at, seen }, index) =>
      element("points", {
        label: label.points[index],
        source: toSource(annotation.attributes.source),
        outside: seen === 0 ? 1 : 0,
        occluded: seen === 1 ? 1 : 0,
        points: formatPoints([at]),
      }),
    );
    return { name: "skeleton", content: points.join("") };
  }
  const there = keypoints.filter(({ seen }) => seen > 0);
  const isPlain = keypoints.every(({ seen }) => seen === 2);
  return {
    name: "points",
    members: { points: formatPoints(there.map(({ at }) => at)) },
    losses: isPlain ? [] : ["visibility_dropped"],
  };
}

/** What CVAT holds of a shape with an area; null for one without a pixel. */
function toArea(annotation: Extract<Annotation, { type: "bbox" | "polygon" | "mask" }>, size: Size): Shape | null {
  switch (annotation.type) {
    case "bbox": {
      const { x, y, width, height, rotation = 0 } = annotation.coordinates;
      const corners = { xtl: toText(x), ytl: toText(y), xbr: toText(x + width), ybr: toText(y + height) };
      return { name: "box", members: { ...corners, rotation: isTurned(annotation) ? toText(rotation) : undefined } };
    }
    case "polygon": {
      const { points, holes = [] } = annotation.coordinates;
      if (!hasHoles(annotation.coordinates)) return { name: "polygon", members: { points: formatPoints(points) } };
      const cropped = cropRuns(toPictureRuns([points, ...holes], size), size.height);
      if (!cropped) return null;
      const { box, runs } = cropped;
      return {
        name: "mask",
        members: toMask(decodeRuns(runs, box.width, box.height), box),
        losses: ["holes_to_mask"],
      };
    }
    case "mask": {
      const [x, y, width, height] = annotation.coordinates.box;
      const pixels = decodeRuns(readRuns(annotation.coordinates), width, height);
      return { name: "mask", members: toMask(pixels, { x, y, width, height }) };
    }
  }
}

function toShape(annotation: Annotation, size: Size, label: Label | undefined): Shape | ExportLoss {
  switch (annotation.type) {
    case "classification":
      return { name: "tag" };
    case "cuboid":
      return toDrop(annotation.type);
    case "keypoints":
      return toSkeleton(annotation, label);
    case "polyline":
      return { name: "polyline", members: { points: formatPoints(annotation.coordinates.points) } };
    default: {
      const bounds = boundAnnotation(annotation);
      const shape = bounds && clipBounds(bounds, size) ? toArea(annotation, size) : null;
      return shape ?? "outside_dropped";
    }
  }
}

/** The elements of a picture, and counts what CVAT lacks. */
export function composeCvat(
  annotations: readonly Annotation[],
  size: Size,
  { names, numbers, labels }: Classes,
  tally: Tally,
  seen: SeenAttributes,
): Composed<string> {
  const groups = new Map<unknown, number>();
  let [content, shapes] = ["", 0];
  for (const annotation of annotations) {
    const { attributes } = annotation;
    const number = numbers.get(annotation.label) ?? -1;
    const label = names[number] ?? annotation.label;
    const shape = toShape(annotation, size, labels.get(number));
    if (typeof shape === "string") {
      tally.lose(shape);
      continue;
    }
    for (const loss of shape.losses ?? []) tally.lose(loss);
    tally.addAnnotations(annotation.label);
    const noted = seen.get(label) ?? new Set<string>();
    seen.set(label, noted);
    const { text, isWhole } = listAttributes(attributes, noted);
    if (!isWhole) tally.lose("attributes_dropped");
    if (attributes.group !== undefined && !groups.has(attributes.group)) groups.set(attributes.group, groups.size + 1);
    const isTag = shape.name === "tag";
    const members = {
      label,
      source: toSource(attributes.source),
      occluded: isTag || shape.name === "skeleton" ? undefined : toFlag(attributes.occluded),
      ...shape.members,
      z_order: isTag ? undefined : typeof attributes.order === "number" ? Math.trunc(attributes.order) : 0,
      group_id: groups.get(attributes.group),
    };
    content += `    ${element(shape.name, members, `${shape.content ?? ""}${text}`)}\n`;
    shapes += 1;
  }
  return { content, shapes };
}
