import type { Point } from "@/domain/annotations/geometry";
import type { ExportLoss } from "@/domain/exports/schema";
import { toRuns } from "@/domain/masks/fill";
import { toRowRuns } from "@/domain/masks/row-runs";
import type { Area } from "@/domain/masks/run-lengths";
import type { Label } from "@/domain/projects/label-schema";
import type { Annotation } from "@/domain/tasks/schema";
import type { Classes } from "@/server/features/exports/class-numbers";
import { element, escapeText } from "@/server/features/exports/markup";
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
  type Size,
} from "@/server/features/exports/shapes";
import type { Steps } from "@/server/features/exports/steps";
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

/** The attributes of a shape that CVAT holds, noted as those of its label. */
function noteAttributes(
  attributes: Annotation["attributes"],
  noted: Set<string>,
): { held: [key: string, value: unknown][]; isWhole: boolean } {
  const all = Object.entries(attributes).filter(([key]) => !ownKeys.has(key));
  const held = all.filter(([key]) => noted.has(key) || noted.size < maxSeen);
  for (const [key] of held) noted.add(key);
  return { held, isWhole: held.length === all.length };
}

const formatAttributes = (held: readonly [key: string, value: unknown][]): string =>
  held.map(([key, value]) => element("attribute", { name: key }, escapeText(toValue(value)))).join("");

/** A mask as CVAT has it: runs of its box row by row. */
const toMask = (runs: readonly number[], { x, y, width, height }: Area): Members => ({
  rle: toRowRuns(runs, { x: 0, y: 0, width, height }, { width, height }).join(", "),
  left: x,
  top: y,
  width,
  height,
});

/** An element of CVAT, and what is lost in it. */
interface Shape {
  name: string;
  /** Its members and the elements in it. */
  make: () => { members?: Members; content?: string };
  losses?: readonly ExportLoss[];
}

function toSkeleton(annotation: Extract<Annotation, { type: "keypoints" }>, label: Label | undefined): Shape {
  const keypoints = listKeypoints(annotation.coordinates);
  if (label?.points.length === keypoints.length) {
    const toElement = ({ at, seen }: (typeof keypoints)[number], index: number) =>
      element("points", {
        label: label.points[index],
        source: toSource(annotation.attributes.source),
        outside: seen === 0 ? 1 : 0,
        occluded: seen === 1 ? 1 : 0,
        points: formatPoints([at]),
      });
    return { name: "skeleton", make: () => ({ content: keypoints.map(toElement).join("") }) };
  }
  const there = keypoints.filter(({ seen }) => seen > 0);
  const isPlain = keypoints.every(({ seen }) => seen === 2);
  return {
    name: "points",
    make: () => ({ members: { points: formatPoints(there.map(({ at }) => at)) } }),
    losses: isPlain ? [] : ["visibility_dropped"],
  };
}

/** What CVAT holds of a shape with an area; null for one without a pixel. */
function* toArea(
  annotation: Extract<Annotation, { type: "bbox" | "polygon" | "mask" }>,
  size: Size,
): Steps<Shape | null> {
  switch (annotation.type) {
    case "bbox": {
      const { x, y, width, height, rotation = 0 } = annotation.coordinates;
      const corners = { xtl: toText(x), ytl: toText(y), xbr: toText(x + width), ybr: toText(y + height) };
      const members = { ...corners, rotation: isTurned(annotation) ? toText(rotation) : undefined };
      return { name: "box", make: () => ({ members }) };
    }
    case "polygon": {
      const { points, holes = [] } = annotation.coordinates;
      if (!hasHoles(annotation.coordinates))
        return { name: "polygon", make: () => ({ members: { points: formatPoints(points) } }) };
      if (!(yield* hasPixel(annotation.coordinates, size))) return null;
      const make = () => {
        const found = toRuns([points, ...holes], size);
        return { members: found ? toMask(found.runs, found.box) : {} };
      };
      return { name: "mask", make, losses: ["holes_to_mask"] };
    }
    case "mask": {
      const [x, y, width, height] = annotation.coordinates.box;
      const make = () => ({ members: toMask(readRuns(annotation.coordinates), { x, y, width, height }) });
      return { name: "mask", make };
    }
  }
}

function* toShape(annotation: Annotation, size: Size, label: Label | undefined): Steps<Shape | ExportLoss> {
  switch (annotation.type) {
    case "classification":
      return { name: "tag", make: () => ({}) };
    case "cuboid":
      return toDrop(annotation.type);
    case "keypoints":
      return toSkeleton(annotation, label);
    case "polyline":
      return { name: "polyline", make: () => ({ members: { points: formatPoints(annotation.coordinates.points) } }) };
    default: {
      const bounds = boundAnnotation(annotation);
      const shape = bounds && clipBounds(bounds, size) ? yield* toArea(annotation, size) : null;
      return shape ?? "outside_dropped";
    }
  }
}

/** The elements of a picture, and counts what CVAT lacks. */
export function* composeCvat(
  annotations: readonly Annotation[],
  size: Size,
  { names, numbers, labels }: Classes,
  tally: Tally,
  seen: SeenAttributes,
): Steps<Composed<string>> {
  const groups = new Map<unknown, number>();
  const held: (() => string)[] = [];
  for (const [place, annotation] of annotations.entries()) {
    yield;
    const { attributes } = annotation;
    const number = numbers.get(annotation.label) ?? -1;
    const label = names[number] ?? annotation.label;
    const shape = yield* toShape(annotation, size, labels.get(number));
    if (typeof shape === "string") {
      tally.lose(shape);
      continue;
    }
    for (const loss of shape.losses ?? []) tally.lose(loss);
    tally.addAnnotations(annotation.label);
    const noted = seen.get(label) ?? new Set<string>();
    seen.set(label, noted);
    const noting = noteAttributes(attributes, noted);
    if (!noting.isWhole) tally.lose("attributes_dropped");
    if (attributes.group !== undefined && !groups.has(attributes.group)) groups.set(attributes.group, groups.size + 1);
    const isTag = shape.name === "tag";
    held.push(() => {
      const { members, content = "" } = shape.make();
      const all = {
        label,
        source: toSource(attributes.source),
        occluded: isTag || shape.name === "skeleton" ? undefined : toFlag(attributes.occluded),
        ...members,
        // CVAT draws by it; the attribute `order` of a shape may be that of a file that it was imported from.
        z_order: isTag ? undefined : place,
        group_id: groups.get(attributes.group),
      };
      return `    ${element(shape.name, all, `${content}${formatAttributes(noting.held)}`)}\n`;
    });
  }
  return { make: () => held.map((make) => make()).join(""), shapes: held.length };
}
