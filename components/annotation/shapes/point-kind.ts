import {
  boundPoints,
  findNearestEdge,
  insertPoint,
  isInRings,
  measureRings,
  movePoints,
  removePoint,
  replacePoint,
  scalePoints,
  type Point,
} from "@/domain/annotations/geometry";
import type { ShapeByType, ShapeKind } from "./shape-kind";

type PointShape = ShapeByType<"polygon"> | ShapeByType<"polyline">;
type Ring = [number, number][];

interface PointOptions<S> {
  name: string;
  isClosed: boolean;
  minPoints: number;
  /** Its line, followed by those around its holes. */
  listRings: (shape: S) => readonly Ring[];
  withRings: (shape: S, rings: readonly Ring[]) => S;
}

/** The ring, and the place in it, of a point that is counted through all rings. */
function findPlace(rings: readonly Ring[], point: number): { ring: number; at: number } {
  let at = point;
  const ring = rings.findIndex((each) => {
    if (at < each.length) return true;
    at -= each.length;
    return false;
  });
  return { ring: Math.max(0, ring), at };
}

/** The edge of rings that is nearest to a place; null where there is none. */
function findEdge(place: Point, rings: readonly Ring[], isClosed: boolean) {
  const near = rings.flatMap((each, ring) => {
    const edge = findNearestEdge(place, each, isClosed);
    return edge ? [{ ...edge, ring }] : [];
  });
  return near.toSorted((a, b) => a.distance - b.distance)[0] ?? null;
}

/** A kind of shapes that are lines through points. */
function createPointKind<S extends PointShape>(options: PointOptions<S>): ShapeKind<S> {
  const { name, isClosed, minPoints, listRings, withRings } = options;
  const bound = ({ coordinates }: S) => boundPoints(coordinates.points);
  const change = (shape: S, handle: number, to: (points: Ring, at: number) => Ring): S => {
    const rings = listRings(shape);
    const { ring, at } = findPlace(rings, handle);
    return withRings(
      shape,
      rings.map((each, index) => (index === ring ? to(each, at) : each)),
    );
  };
  return {
    name,
    bound,
    draw: (shape) => ({ outlines: listRings(shape).map((points) => ({ points, isClosed })), dots: [] }),
    hit(shape, at, reach) {
      const rings = listRings(shape);
      const edge = findEdge(at, rings, isClosed);
      if (edge && edge.distance <= reach) return "line";
      return isClosed && isInRings(at, rings) ? "inside" : null;
    },
    measure: (shape) => (isClosed ? measureRings(listRings(shape)) : null),
    rings: (shape) => (isClosed ? listRings(shape) : []),
    describe(shape) {
      const { left, top, right, bottom } = bound(shape) ?? { left: 0, top: 0, right: 0, bottom: 0 };
      const size = `${Math.round(right - left)} by ${Math.round(bottom - top)}`;
      const [points = [], ...holes] = listRings(shape);
      const more = holes.length === 0 ? "" : `, ${holes.length === 1 ? "1 hole" : `${holes.length} holes`}`;
      return `${points.length} points, ${size} at ${Math.round(left)}, ${Math.round(top)}${more}`;
    },
    handles: (shape) =>
      listRings(shape).flatMap((ring, hole) =>
        ring.map((at, index) => ({
          at,
          name: hole === 0 ? `point ${index + 1}` : `hole ${hole}, point ${index + 1}`,
        })),
      ),
    moveHandle: (shape, handle, to) => change(shape, handle, (points, at) => replacePoint(points, at, to)),
    addPoint(shape, at, reach) {
      const rings = listRings(shape);
      const edge = findEdge(at, rings, isClosed);
      if (!edge || edge.distance > reach) return null;
      return withRings(
        shape,
        rings.map((each, ring) => (ring === edge.ring ? insertPoint(each, edge.at, edge.point) : each)),
      );
    },
    removePoint(shape, handle) {
      const rings = listRings(shape);
      const { ring } = findPlace(rings, handle);
      if ((rings[ring]?.length ?? 0) > minPoints) return change(shape, handle, removePoint);
      // Without its points a hole is none.
      return ring === 0 ? null : withRings(shape, rings.toSpliced(ring, 1));
    },
    move: (shape, by: Point) =>
      withRings(
        shape,
        listRings(shape).map((points) => movePoints(points, by)),
      ),
    resize(shape, to) {
      const from = bound(shape);
      if (!from) return shape;
      return withRings(
        shape,
        listRings(shape).map((points) => scalePoints(points, from, to)),
      );
    },
  };
}

export const polygon = createPointKind<ShapeByType<"polygon">>({
  name: "Polygon",
  isClosed: true,
  minPoints: 3,
  listRings: ({ coordinates: { points, holes = [] } }) => [points, ...holes],
  withRings(shape, [points = [], ...holes]) {
    const { holes: _, ...rest } = shape.coordinates;
    return { ...shape, coordinates: { ...rest, points, ...(holes.length > 0 && { holes }) } };
  },
});

export const polyline = createPointKind<ShapeByType<"polyline">>({
  name: "Line",
  isClosed: false,
  minPoints: 2,
  listRings: ({ coordinates: { points } }) => [points],
  withRings: (shape, [points = []]) => ({ ...shape, coordinates: { ...shape.coordinates, points } }),
});
