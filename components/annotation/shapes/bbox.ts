import {
  boundPoints,
  boxBetween,
  findNearestEdge,
  isInArea,
  toBounds,
  type Bounds,
  type Box,
  type Point,
} from "@/domain/annotations/geometry";
import { listCorners } from "@/domain/annotations/rotated-box";
import type { ShapeByType, ShapeKind } from "./shape-kind";

type BoxShape = ShapeByType<"bbox">;

/** The share of the width and of the height at which each handle lies, clockwise from the top left. */
const handles: readonly { name: string; x: 0 | 0.5 | 1; y: 0 | 0.5 | 1 }[] = [
  { name: "top left", x: 0, y: 0 },
  { name: "top", x: 0.5, y: 0 },
  { name: "top right", x: 1, y: 0 },
  { name: "right", x: 1, y: 0.5 },
  { name: "bottom right", x: 1, y: 1 },
  { name: "bottom", x: 0.5, y: 1 },
  { name: "bottom left", x: 0, y: 1 },
  { name: "left", x: 0, y: 0.5 },
];

const withBox = (shape: BoxShape, box: Box): BoxShape => ({
  ...shape,
  coordinates: { ...shape.coordinates, ...box },
});

/** The side that a handle moves goes to a coordinate; past the other side, both change their roles. */
function stretch(low: number, high: number, share: 0 | 0.5 | 1, to: number): [from: number, to: number] {
  if (share === 0.5) return [low, high];
  return share === 0 ? [to, high] : [low, to];
}

/** A place turned around another one, by degrees clockwise. */
function turn([x, y]: Point, [centerX, centerY]: Point, degrees: number): Point {
  const angle = (degrees * Math.PI) / 180;
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  const [right, down] = [x - centerX, y - centerY];
  return [centerX + right * cos - down * sin, centerY + right * sin + down * cos];
}

const toCenter = ({ x, y, width, height }: Box): Point => [x + width / 2, y + height / 2];

/** Changes a turned box as if it were straight: what does not move stays where it is seen. */
function reshape(shape: BoxShape, to: Point, change: (to: Point) => Box): BoxShape {
  const { rotation = 0 } = shape.coordinates;
  const around = toCenter(shape.coordinates);
  const box = change(turn(to, around, -rotation));
  const [x, y] = turn(toCenter(box), around, rotation);
  return withBox(shape, { ...box, x: x - box.width / 2, y: y - box.height / 2 });
}

export const bbox: ShapeKind<BoxShape> = {
  name: "Box",
  bound: ({ coordinates }) => boundPoints(listCorners(coordinates)),
  draw: ({ coordinates }) => ({ outlines: [{ points: listCorners(coordinates), isClosed: true }], dots: [] }),
  hit({ coordinates }, at, reach) {
    const corners = listCorners(coordinates);
    const edge = findNearestEdge(at, corners, true);
    if (edge && edge.distance <= reach) return "line";
    return isInArea(at, corners) ? "inside" : null;
  },
  measure: ({ coordinates: { width, height } }) => width * height,
  rings: ({ coordinates }) => [listCorners(coordinates)],
  describe({ coordinates: { x, y, width, height, rotation = 0 } }) {
    const turned = rotation === 0 ? "" : `, turned by ${Math.round(rotation)}°`;
    return `${Math.round(width)} by ${Math.round(height)} at ${Math.round(x)}, ${Math.round(y)}${turned}`;
  },
  handles({ coordinates }) {
    const { x, y, width, height, rotation = 0 } = coordinates;
    const around = toCenter(coordinates);
    return handles.map(({ name, ...share }) => {
      const at: Point = [x + share.x * width, y + share.y * height];
      return { at: rotation === 0 ? at : turn(at, around, rotation), name };
    });
  },
  moveHandle(shape, at, to) {
    const handle = handles[at];
    if (!handle) return shape;
    const { left, top, right, bottom } = toBounds(shape.coordinates);
    const stretched = ([x, y]: Point): Box => {
      const [fromX, toX] = stretch(left, right, handle.x, x);
      const [fromY, toY] = stretch(top, bottom, handle.y, y);
      return boxBetween([fromX, fromY], [toX, toY]);
    };
    return shape.coordinates.rotation ? reshape(shape, to, stretched) : withBox(shape, stretched(to));
  },
  addPoint: () => null,
  removePoint: () => null,
  move: (shape, [dx, dy]: Point) =>
    withBox(shape, { ...shape.coordinates, x: shape.coordinates.x + dx, y: shape.coordinates.y + dy }),
  resize(shape, to: Bounds) {
    const { x, y, width, height, rotation = 0 } = shape.coordinates;
    const [across, down] = [to.right - to.left, to.bottom - to.top];
    if (rotation === 0) return withBox(shape, { x: to.left, y: to.top, width: across, height: down });
    // Of a turned box the sides become longer by as much as its bounds.
    const from = boundPoints(listCorners(shape.coordinates)) ?? to;
    const longer = (side: number, by: number) => Math.max(1, side + by);
    const moved = { x: x + to.left - from.left, y: y + to.top - from.top };
    const sides = {
      width: longer(width, across - (from.right - from.left)),
      height: longer(height, down - (from.bottom - from.top)),
    };
    return withBox(shape, { ...moved, ...sides });
  },
};
