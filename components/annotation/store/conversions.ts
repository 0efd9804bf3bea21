import type { DraftOp, DraftShape } from "@/domain/annotations/draft-schema";
import { mayHold, type EditorLabel } from "@/domain/annotations/editor-label";
import { measureArea, simplify } from "@/domain/annotations/geometry";
import { listParts } from "@/domain/annotations/mask-parts";
import { toRuns } from "@/domain/masks/fill";
import { readMask, toCoordinates } from "@/domain/masks/mask-figure";
import { outlineMask } from "@/domain/masks/outline";
import { getKind } from "../shapes/shape-kinds";
import { markEdited } from "../tools/select";

/** Types that mark an area, which can become each other. */
const areaTypes = ["bbox", "polygon", "mask"] as const;
export type AreaType = (typeof areaTypes)[number];
type Ring = [number, number][];

interface Means {
  picture: { width: number; height: number };
  createId: () => string;
}

/** Pixels by which the line around a mask may lie beside its pixels, and as many points as a polygon may have. */
const tolerance = 0.75;
const maxPoints = 10_000;

/** What a shape can become. */
export const listConversions = (shape: DraftShape, label: EditorLabel | undefined): AreaType[] =>
  areaTypes.some((type) => type === shape.type)
    ? areaTypes.filter((type) => type !== shape.type && (!label || mayHold(label, type)))
    : [];

/** A closed line with fewer points; itself where three are not left of it. */
function smooth(points: Ring, by: number): Ring {
  const [first] = points;
  if (!first) return points;
  const closed = simplify([...points, first], by).slice(0, -1);
  return closed.length < 3 ? points : closed;
}

/** The lines of a part with no more points than a polygon may have; of what is nearly noise, its smallest holes are left out. */
function smoothAll(rings: readonly Ring[]): Ring[] {
  const [outer = [], ...holes] = rings;
  let by = tolerance;
  let first = smooth(outer, by);
  while (first.length > maxPoints / 2) first = smooth(outer, (by *= 2));
  const smoothed = holes.map((hole) => smooth(hole, by)).toSorted((a, b) => measureArea(b) - measureArea(a));
  let count = first.length;
  return [first, ...smoothed.filter((hole) => (count += hole.length) <= maxPoints)];
}

/** The parts of a mask as polygons: the largest keeps the shape's id, and all are one group if there are several. */
function toPolygons(shape: DraftShape, { createId }: Means): DraftShape[] {
  const figure = shape.type === "mask" ? readMask(shape.coordinates) : null;
  const parts = figure
    ? listParts(outlineMask(figure))
    : [
        {
          outer:
            getKind(shape)
              .rings(shape)[0]
              ?.map(([x, y]): [number, number] => [x, y]) ?? [],
          holes: [],
        },
      ];
  const group = parts.length > 1 && shape.attributes["group"] === undefined ? { group: createId() } : {};
  return parts.map(({ outer, holes }, at): DraftShape => {
    const [points = [], ...inner] = figure ? smoothAll([outer, ...holes]) : [outer];
    const { label_id, position } = shape;
    const id = at === 0 ? shape.id : createId();
    const coordinates = { points, ...(inner.length > 0 && { holes: inner }) };
    return { id, label_id, position, attributes: { ...shape.attributes, ...group }, type: "polygon", coordinates };
  });
}

/** The changes that make another type of a shape: of a mask of several parts one polygon each. None where nothing would be left. */
export function convert(shape: DraftShape, type: AreaType, label: EditorLabel | undefined, means: Means): DraftOp[] {
  if (!listConversions(shape, label).includes(type)) return [];
  const { id, label_id, attributes, position } = shape;
  const members = { id, label_id, attributes, position };
  const kind = getKind(shape);
  const put = (next: DraftShape): DraftOp => ({ op: "put", id: next.id, shape: markEdited(next) });
  switch (type) {
    case "polygon":
      return toPolygons(shape, means).map(put);
    case "mask": {
      const filled = toRuns(kind.rings(shape), means.picture);
      if (!filled) return [];
      return [put({ ...members, type, coordinates: toCoordinates(filled.box, filled.runs, means.picture) })];
    }
    case "bbox": {
      const bounds = kind.bound(shape);
      if (!bounds) return [];
      const { left: x, top: y, right, bottom } = bounds;
      return [put({ ...members, type, coordinates: { x, y, width: right - x, height: bottom - y } })];
    }
  }
}
