/** Pure geometry of shapes on pictures. Lengths are pixels of the picture, from its top left. */

export type Point = readonly [x: number, y: number];

export interface Bounds {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Size {
  width: number;
  height: number;
}

/** The smallest bounds around points; null for none. */
export function boundPoints(points: readonly Point[]): Bounds | null {
  const [first] = points;
  if (!first) return null;
  const bounds = { left: first[0], top: first[1], right: first[0], bottom: first[1] };
  for (const [x, y] of points) {
    if (x < bounds.left) bounds.left = x;
    if (x > bounds.right) bounds.right = x;
    if (y < bounds.top) bounds.top = y;
    if (y > bounds.bottom) bounds.bottom = y;
  }
  return bounds;
}

export const toBounds = ({ x, y, width, height }: Box): Bounds => ({
  left: x,
  top: y,
  right: x + width,
  bottom: y + height,
});

/** The bounds widened by a margin on all sides. */
export const widen = ({ left, top, right, bottom }: Bounds, margin: number): Bounds => ({
  left: left - margin,
  top: top - margin,
  right: right + margin,
  bottom: bottom + margin,
});

/** The smallest bounds around both. */
export const joinBounds = (a: Bounds, b: Bounds): Bounds => ({
  left: Math.min(a.left, b.left),
  top: Math.min(a.top, b.top),
  right: Math.max(a.right, b.right),
  bottom: Math.max(a.bottom, b.bottom),
});

/** Whether both have a point in common. */
export const areTouching = (a: Bounds, b: Bounds): boolean =>
  a.left <= b.right && a.right >= b.left && a.top <= b.bottom && a.bottom >= b.top;

export const isWithin = ([x, y]: Point, { left, top, right, bottom }: Bounds): boolean =>
  x >= left && x <= right && y >= top && y <= bottom;

/** The box with these two points as opposite corners. */
export const boxBetween = ([x, y]: Point, [toX, toY]: Point): Box => ({
  x: Math.min(x, toX),
  y: Math.min(y, toY),
  width: Math.abs(toX - x),
  height: Math.abs(toY - y),
});

export const measureDistance = ([x, y]: Point, [toX, toY]: Point): number => Math.hypot(toX - x, toY - y);

/** The point of the picture that is nearest to a point. */
export const moveInto = ([x, y]: Point, { width, height }: Size): Point => [
  Math.min(Math.max(x, 0), width),
  Math.min(Math.max(y, 0), height),
];

/** How far something with these bounds really moves when asked to, so that what is inside stays inside. */
export function limitMove({ left, top, right, bottom }: Bounds, [dx, dy]: Point, { width, height }: Size): Point {
  const limit = (by: number, low: number, high: number, end: number) =>
    Math.min(Math.max(by, Math.min(0, -low)), Math.max(0, end - high));
  return [limit(dx, left, right, width), limit(dy, top, bottom, height)];
}

export const movePoints = (points: readonly Point[], [dx, dy]: Point): [number, number][] =>
  points.map(([x, y]) => [x + dx, y + dy]);

/** Points as they lie after their bounds became others; a side without length keeps its distance to the new side. */
export function scalePoints(points: readonly Point[], from: Bounds, to: Bounds): [number, number][] {
  const scale = (value: number, low: number, high: number, toLow: number, toHigh: number) =>
    high === low ? toLow : toLow + ((value - low) / (high - low)) * (toHigh - toLow);
  return points.map(([x, y]) => [
    scale(x, from.left, from.right, to.left, to.right),
    scale(y, from.top, from.bottom, to.top, to.bottom),
  ]);
}

/** The point of a segment that is nearest to a point. */
function nearestOnSegment([x, y]: Point, from: Point, to: Point): Point {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : Math.min(Math.max(((x - from[0]) * dx + (y - from[1]) * dy) / length, 0), 1);
  return [from[0] + share * dx, from[1] + share * dy];
}

export interface NearestEdge {
  /** The edge goes from the point with this index to the next. */
  at: number;
  point: Point;
  distance: number;
}

/** The edge of a line, or of an area with `isClosed`, that is nearest to a point; null where there is no edge. */
export function findNearestEdge(point: Point, points: readonly Point[], isClosed: boolean): NearestEdge | null {
  let nearest: NearestEdge | null = null;
  const count = isClosed ? points.length : points.length - 1;
  for (let at = 0; at < count; at++) {
    const [from, to] = [points[at], points[(at + 1) % points.length]];
    if (!from || !to) continue;
    const on = nearestOnSegment(point, from, to);
    const distance = measureDistance(point, on);
    if (!nearest || distance < nearest.distance) nearest = { at, point: on, distance };
  }
  return nearest;
}

/** The index of the point nearest to a place and not farther than `within`; null for none. Of equal ones the last. */
export function findNearestPoint(place: Point, points: readonly Point[], within: number): number | null {
  let [nearest, least]: [number | null, number] = [null, within];
  points.forEach((point, at) => {
    const distance = measureDistance(place, point);
    if (distance <= least) [nearest, least] = [at, distance];
  });
  return nearest;
}

/** Whether a point lies in an area, by the even-odd rule. */
export function isInArea([x, y]: Point, points: readonly Point[]): boolean {
  let isInside = false;
  let before = points.at(-1);
  for (const point of points) {
    if (before && point[1] > y !== before[1] > y) {
      const cut = ((before[0] - point[0]) * (y - point[1])) / (before[1] - point[1]) + point[0];
      if (x < cut) isInside = !isInside;
    }
    before = point;
  }
  return isInside;
}

/** The area inside a ring of points, in square pixels; where it crosses itself, parts may cancel each other out. */
export function measureArea(points: readonly Point[]): number {
  const origin = points[0];
  if (!origin) return 0;
  let double = 0;
  let before = points.at(-1) ?? origin;
  for (const point of points) {
    double += (before[0] - origin[0]) * (point[1] - origin[1]) - (point[0] - origin[0]) * (before[1] - origin[1]);
    before = point;
  }
  return Math.abs(double) / 2;
}

/** Whether a place lies in the area of rings, by the even-odd rule: in a hole it does not. */
export const isInRings = (at: Point, rings: readonly (readonly Point[])[]): boolean =>
  rings.filter((ring) => isInArea(at, ring)).length % 2 === 1;

/** The area in a ring without that of its holes, in square pixels. */
export const measureRings = ([outer = [], ...holes]: readonly (readonly Point[])[]): number =>
  Math.max(
    0,
    holes.reduce((area, hole) => area - measureArea(hole), measureArea(outer)),
  );

/** The points with one more on the edge that begins at `at`. */
export const insertPoint = (points: readonly Point[], at: number, point: Point): [number, number][] =>
  points.toSpliced(at + 1, 0, point).map(([x, y]) => [x, y]);

/** The points without one. */
export const removePoint = (points: readonly Point[], at: number): [number, number][] =>
  points.toSpliced(at, 1).map(([x, y]) => [x, y]);

/** The points with one elsewhere. */
export const replacePoint = (points: readonly Point[], at: number, point: Point): [number, number][] =>
  points.map(([x, y], index) => (index === at ? [point[0], point[1]] : [x, y]));

/**
 * The line without points that lie nearer than `tolerance` to what is left of it (Douglas and Peucker). Its ends stay.
 */
export function simplify(points: readonly Point[], tolerance: number): [number, number][] {
  const kept = new Set([0, points.length - 1]);
  const parts: [from: number, to: number][] = [[0, points.length - 1]];
  for (let part = parts.pop(); part; part = parts.pop()) {
    const [from, to] = part;
    const [start, end] = [points[from], points[to]];
    if (!start || !end) continue;
    let [farthest, distance] = [-1, tolerance];
    for (let at = from + 1; at < to; at++) {
      const point = points[at];
      const away = point ? measureDistance(point, nearestOnSegment(point, start, end)) : 0;
      if (away > distance) [farthest, distance] = [at, away];
    }
    if (farthest < 0) continue;
    kept.add(farthest);
    parts.push([from, farthest], [farthest, to]);
  }
  return points.filter((_, at) => kept.has(at)).map(([x, y]) => [x, y]);
}

/** An outline that places snap to. */
export interface Outline {
  points: readonly Point[];
  isClosed: boolean;
}

/** The point within a distance that a place snaps to: of outlines the nearest point, else the nearest of an edge. */
export function findSnap(place: Point, outlines: Iterable<Outline>, within: number): Point | null {
  let corner: { point: Point; distance: number } | null = null;
  let edge: { point: Point; distance: number } | null = null;
  for (const { points, isClosed } of outlines) {
    const at = findNearestPoint(place, points, corner?.distance ?? within);
    const point = at === null ? undefined : points[at];
    if (point) corner = { point, distance: measureDistance(place, point) };
    const near = findNearestEdge(place, points, isClosed);
    if (near && near.distance <= (edge?.distance ?? within)) edge = near;
  }
  return (corner ?? edge)?.point ?? null;
}
