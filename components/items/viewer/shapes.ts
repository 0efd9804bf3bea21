import { labelColour } from "@/components/items/item-colour";
import type { Outputs } from "@/components/trpc/client";
import { toFlatShape, type FlatShape } from "@/domain/annotations/flat-shape";
import { readMask } from "@/domain/masks/mask-figure";
import { outlineMask } from "@/domain/masks/outline";

type Result = NonNullable<Outputs["items"]["annotations"]>;
type Predictions = Outputs["items"]["predictions"];

/** One mark of a person or a model on an item. */
export interface ItemShape {
  /** Unique on the item. */
  id: string;
  label: string;
  type: string;
  coordinates: Readonly<Record<string, unknown>>;
  attributes: Readonly<Record<string, unknown>>;
  colour: string;
  /** The run that predicted it; null of a person. */
  run: string | null;
  /** How sure the model was, 0 to 1. */
  score: number | null;
  /** The frame of a video that it belongs to. */
  frame: number | null;
}

const toNumber = (value: unknown): number | null => (typeof value === "number" ? value : null);

interface Mark {
  label: string;
  type: string;
  coordinates: Readonly<Record<string, unknown>>;
  attributes: Readonly<Record<string, unknown>>;
}

const toShape = (mark: Mark, id: string, colour: string, run: string | null): ItemShape => ({
  ...mark,
  id,
  colour,
  run,
  score: toNumber(mark.attributes.confidence) ?? toNumber(mark.attributes.score),
  frame: toNumber(mark.coordinates.frame),
});

/** The colours of labels on an item: those of the project of its result. */
function toColours(result: Result | null | undefined): (label: string) => string {
  const colours = new Map(result?.labels.map(({ name, color }) => [name, color]));
  return (label) => labelColour(label, colours.get(label) ?? null);
}

/** The shapes of a result, in the colours of its project. */
export function listResultShapes(result: Result | null | undefined): ItemShape[] {
  if (!result) return [];
  const toColour = toColours(result);
  return result.annotations.map((mark, at) => toShape(mark, `${result.uid}-${at}`, toColour(mark.label), null));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The shapes that a run predicted, in the colours of the labels of the item's result. */
export function listPredictedShapes(
  { run_uid: run, nodes }: Predictions[number],
  result: Result | null | undefined,
): ItemShape[] {
  const toColour = toColours(result);
  const list = (of: typeof nodes): ItemShape[] =>
    of.flatMap((node) => {
      const { object: label, data } = node.annotation;
      const coordinates = isRecord(data.coordinates) ? data.coordinates : {};
      const attributes = isRecord(data.attributes) ? data.attributes : {};
      const mark = { label, type: typeof data.type === "string" ? data.type : "", coordinates, attributes };
      return [toShape(mark, `${run}-${node.uid}`, toColour(label), run), ...list(node.children)];
    });
  return list(nodes);
}

/** Where a box is, and by how many degrees it is turned clockwise about its center; null when it is no box. */
export function readBox({ x, y, width, height, rotation }: ItemShape["coordinates"]) {
  const box = { x: toNumber(x), y: toNumber(y), width: toNumber(width), height: toNumber(height) };
  if (box.x === null || box.y === null || box.width === null || box.height === null) return null;
  return { x: box.x, y: box.y, width: box.width, height: box.height, rotation: toNumber(rotation) ?? 0 };
}

/** The points of a polygon, a line, keypoints or a hole; those that are none are left out. */
export function readPoints({ points }: ItemShape["coordinates"]): [x: number, y: number][] {
  if (!Array.isArray(points)) return [];
  return points.flatMap((point: unknown): [number, number][] => {
    if (!Array.isArray(point)) return [];
    const [x, y] = [toNumber(point[0]), toNumber(point[1])];
    return x === null || y === null ? [] : [[x, y]];
  });
}

/** The lines around an area and around its holes, of polygons and masks; none for other shapes. */
export function readRings({ type, coordinates }: Pick<ItemShape, "type" | "coordinates">): [x: number, y: number][][] {
  if (type === "mask") {
    const figure = readMask(coordinates);
    return figure ? outlineMask(figure).map(({ points }) => points) : [];
  }
  if (type !== "polygon") return [];
  const holes: unknown[] = Array.isArray(coordinates.holes) ? coordinates.holes : [];
  return [readPoints(coordinates), ...holes.map((points) => readPoints({ points }))];
}

/** The numbers of a vector or a quaternion, in either of the forms that results have. */
export function readVector(value: unknown, names: readonly string[]): number[] | null {
  const list: unknown[] = Array.isArray(value) ? value : isRecord(value) ? names.map((name) => value[name]) : [];
  const numbers = list.flatMap((each) => toNumber(each) ?? []);
  return numbers.length === names.length ? numbers : null;
}

/** What a shape looks like on a small picture of the first frame; nothing of what is not flat on it, such as a cuboid. */
export function listOutlines(shapes: readonly ItemShape[]): (FlatShape & { color: string })[] {
  return shapes.flatMap((shape) => {
    const flat = (shape.frame ?? 0) === 0 ? toFlatShape(shape) : null;
    return flat ? [{ ...flat, color: shape.colour }] : [];
  });
}

/** How many shapes have each label, most first. */
export function countLabels(shapes: readonly ItemShape[]): { name: string; color: string; count: number }[] {
  const counts = new Map<string, { name: string; color: string; count: number }>();
  for (const { label: name, colour: color } of shapes) {
    const found = counts.get(name) ?? { name, color, count: 0 };
    found.count += 1;
    counts.set(name, found);
  }
  return [...counts.values()].sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}

const typeNames: Readonly<Record<string, string>> = {
  bbox: "Box",
  polygon: "Polygon",
  polyline: "Line",
  keypoints: "Points",
  mask: "Mask",
  cuboid: "Cuboid",
  classification: "Class",
};
/** What a shape is, as people read it. */
export const shapeTypeName = (type: string): string => typeNames[type] ?? type;
