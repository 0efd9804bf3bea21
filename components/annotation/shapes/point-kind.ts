import {
  boundPoints,
  findNearestEdge,
  insertPoint,
  isInArea,
  measureArea,
  movePoints,
  removePoint,
  replacePoint,
  scalePoints,
  type Point,
} from "@/domain/annotations/geometry";
import type { ShapeByType, ShapeKind } from "./shape-kind";

type PointShape = ShapeByType<"polygon"> | ShapeByType<"polyline">;

const withPoints = <S extends PointShape>(shape: S, points: [number, number][]): S => ({
  ...shape,
  coordinates: { ...shape.coordinates, points },
});

interface PointOptions {
  name: string;
  isClosed: boolean;
  minPoints: number;
}

/** A kind of shapes that are a line through points. */
function createPointKind<S extends PointShape>({ name, isClosed, minPoints }: PointOptions): ShapeKind<S> {
  const bound = ({ coordinates }: S) => boundPoints(coordinates.points);
  return {
    name,
    bound,
    draw: ({ coordinates }) => ({ outlines: [{ points: coordinates.points, isClosed }], dots: [] }),
    hit({ coordinates: { points } }, at, reach) {
      const edge = findNearestEdge(at, points, isClosed);
      if (edge && edge.distance <= reach) return "line";
      return isClosed && isInArea(at, points) ? "inside" : null;
    },
    measure: ({ coordinates }) => (isClosed ? measureArea(coordinates.points) : null),
    ring: ({ coordinates }) => (isClosed ? coordinates.points : []),
    describe(shape) {
      const { left, top, right, bottom } = bound(shape) ?? { left: 0, top: 0, right: 0, bottom: 0 };
      const size = `${Math.round(right - left)} by ${Math.round(bottom - top)}`;
      return `${shape.coordinates.points.length} points, ${size} at ${Math.round(left)}, ${Math.round(top)}`;
    },
    handles: ({ coordinates }) => coordinates.points.map((at, index) => ({ at, name: `point ${index + 1}` })),
    moveHandle: (shape, handle, to) => withPoints(shape, replacePoint(shape.coordinates.points, handle, to)),
    addPoint(shape, at, reach) {
      const edge = findNearestEdge(at, shape.coordinates.points, isClosed);
      if (!edge || edge.distance > reach) return null;
      return withPoints(shape, insertPoint(shape.coordinates.points, edge.at, edge.point));
    },
    removePoint(shape, handle) {
      const { points } = shape.coordinates;
      return points.length <= minPoints ? null : withPoints(shape, removePoint(points, handle));
    },
    move: (shape, by: Point) => withPoints(shape, movePoints(shape.coordinates.points, by)),
    resize(shape, to) {
      const from = bound(shape);
      return from ? withPoints(shape, scalePoints(shape.coordinates.points, from, to)) : shape;
    },
  };
}

export const polygon = createPointKind<ShapeByType<"polygon">>({ name: "Polygon", isClosed: true, minPoints: 3 });
export const polyline = createPointKind<ShapeByType<"polyline">>({ name: "Line", isClosed: false, minPoints: 2 });
