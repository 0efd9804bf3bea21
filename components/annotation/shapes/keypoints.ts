import type { EditorLabel } from "@/domain/annotations/editor-label";
import {
  boundPoints,
  findNearestEdge,
  findNearestPoint,
  movePoints,
  removePoint,
  replacePoint,
  scalePoints,
  type Outline,
  type Point,
} from "@/domain/annotations/geometry";
import type { ShapeByType, ShapeKind } from "./shape-kind";

type KeypointsShape = ShapeByType<"keypoints">;

/** How much is seen of a key point: nothing, because it is not there; hidden by something; all. */
export const visibilities = [0, 1, 2] as const;
export type Visibility = (typeof visibilities)[number];

/** The visibility of each point; of points without one, all is seen. */
export function readVisibility({ points, visibility }: KeypointsShape["coordinates"]): Visibility[] {
  const given: unknown[] = Array.isArray(visibility) ? visibility : [];
  return points.map((_, at) => visibilities.find((each) => each === given[at]) ?? 2);
}

const withPoints = (shape: KeypointsShape, points: [number, number][]): KeypointsShape => ({
  ...shape,
  coordinates: { ...shape.coordinates, points },
});

/** The shape with one point seen, hidden or absent. */
export const withVisibility = (shape: KeypointsShape, at: number, visibility: Visibility): KeypointsShape => ({
  ...shape,
  coordinates: { ...shape.coordinates, visibility: readVisibility(shape.coordinates).with(at, visibility) },
});

/** The lines of a skeleton between the points that are there. */
function listEdges({ coordinates }: KeypointsShape, label: EditorLabel | undefined): Outline[] {
  const visibility = readVisibility(coordinates);
  return (label?.edges ?? []).flatMap(([from, to]) => {
    const [start, end] = [coordinates.points[from], coordinates.points[to]];
    return start && end && visibility[from] && visibility[to] ? [{ points: [start, end], isClosed: false }] : [];
  });
}

const namePoint = (label: EditorLabel | undefined, at: number): string => label?.points[at] ?? `point ${at + 1}`;

const bound = ({ coordinates }: KeypointsShape) => {
  const visibility = readVisibility(coordinates);
  const there = coordinates.points.filter((_, at) => visibility[at] !== 0);
  return boundPoints(there.length > 0 ? there : coordinates.points);
};

export const keypoints: ShapeKind<KeypointsShape> = {
  name: "Points",
  bound,
  draw(shape, label) {
    const visibility = readVisibility(shape.coordinates);
    const dots = shape.coordinates.points.flatMap((at, index) =>
      visibility[index] === 0 ? [] : [{ at, isHollow: visibility[index] === 1 }],
    );
    return { outlines: listEdges(shape, label), dots };
  },
  hit(shape, at, reach, label) {
    const visibility = readVisibility(shape.coordinates);
    const there = shape.coordinates.points.filter((_, index) => visibility[index] !== 0);
    const isOnPoint = findNearestPoint(at, there, reach) !== null;
    const isNear = ({ points, isClosed }: Outline) =>
      (findNearestEdge(at, points, isClosed)?.distance ?? Infinity) <= reach;
    return isOnPoint || listEdges(shape, label).some(isNear) ? "line" : null;
  },
  measure: () => null,
  rings: () => [],
  describe(shape) {
    const visibility = readVisibility(shape.coordinates);
    const count = (wanted: Visibility) => visibility.filter((each) => each === wanted).length;
    const { left, top } = bound(shape) ?? { left: 0, top: 0 };
    const rest = [count(1) > 0 && `${count(1)} hidden`, count(0) > 0 && `${count(0)} absent`].filter(Boolean);
    return [`${visibility.length} points at ${Math.round(left)}, ${Math.round(top)}`, ...rest].join(", ");
  },
  handles: ({ coordinates }, label) => coordinates.points.map((at, index) => ({ at, name: namePoint(label, index) })),
  moveHandle: (shape, handle, to) => withPoints(shape, replacePoint(shape.coordinates.points, handle, to)),
  addPoint: () => null,
  removePoint(shape, handle) {
    const { points } = shape.coordinates;
    if (points.length <= 1) return null;
    const visibility = readVisibility(shape.coordinates).toSpliced(handle, 1);
    return { ...shape, coordinates: { ...shape.coordinates, points: removePoint(points, handle), visibility } };
  },
  move: (shape, by: Point) => withPoints(shape, movePoints(shape.coordinates.points, by)),
  resize(shape, to) {
    const from = bound(shape);
    return from ? withPoints(shape, scalePoints(shape.coordinates.points, from, to)) : shape;
  },
};
