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
import { listCorners, toRotation, turnPoint } from "@/domain/annotations/rotated-box";
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

/** How far above a box the handle is that turns it, of a pointer's reach. */
const stemReach = 4;

/** The box turned otherwise about its center. */
export function turnBox(shape: BoxShape, degrees: number): BoxShape {
  const { rotation: _, ...straight } = shape.coordinates;
  return { ...shape, coordinates: degrees === 0 ? straight : { ...straight, rotation: degrees } };
}

const toCenter = ({ x, y, width, height }: Box): Point => [x + width / 2, y + height / 2];

/** Changes a turned box as if it were straight: what does not move stays where it is seen. */
function reshape(shape: BoxShape, to: Point, change: (to: Point) => Box): BoxShape {
  const { rotation = 0 } = shape.coordinates;
  const around = toCenter(shape.coordinates);
  const box = change(turnPoint(to, around, -rotation));
  const [x, y] = turnPoint(toCenter(box), around, rotation);
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
  handles({ coordinates }, _, reach) {
    const { x, y, width, height, rotation = 0 } = coordinates;
    const around = toCenter(coordinates);
    const place = (at: Point): Point => (rotation === 0 ? at : turnPoint(at, around, rotation));
    const top: Point = [x + width / 2, y];
    return [
      ...handles.map(({ name, ...share }) => ({ at: place([x + share.x * width, y + share.y * height]), name })),
      { at: place([top[0], top[1] - stemReach * reach]), name: "rotation", stem: place(top) },
    ];
  },
  moveHandle(shape, at, to, isSnapping) {
    const handle = handles[at];
    if (!handle) {
      const [x, y] = toCenter(shape.coordinates);
      const upwards = (Math.atan2(to[1] - y, to[0] - x) * 180) / Math.PI + 90;
      return turnBox(shape, toRotation(upwards, isSnapping));
    }
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
