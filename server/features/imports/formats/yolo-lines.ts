import { turnPoint } from "@/domain/annotations/rotated-box";
import { areOpposite, splitRings } from "@/domain/masks/joined-rings";
import type { PictureSize } from "@/server/features/imports/formats/annotation-file";
import {
  readVisibility,
  toBox,
  toKeypoints,
  toPolygon,
  type Made,
  type Point,
  type Visibility,
} from "@/server/features/imports/formats/shapes";
import { BadValue, readNumber, readWhole } from "@/server/features/imports/formats/values";

/** What the lines of a file are, as far as their columns do not say it. */
export interface YoloKind {
  /** How many points a skeleton has, and how many numbers each; null without skeletons. */
  skeleton: { points: number; numbers: number } | null;
  /** Whether four points are the corners of a box that may be turned, rather than an outline. */
  isOriented: boolean;
}

/** A line as it stands there; null for one without anything. */
export interface YoloLine {
  class: number;
  /** Shares of the picture, and visibilities. */
  columns: number[];
}

const maxClass = 1e6;
/** Shares of a picture may lead a little out of it; pixels would be far beyond. */
const maxShare = 10;
/** How much of a right angle the corners of a box may lack: the cosine. */
const rightAngle = 0.02;
/** How far a box may be from that around its points, in pixels. */
const near = 0.01;

export function readLine(text: string): YoloLine | null {
  const [first, ...rest] = text.trim().split(/\s+/);
  if (first === undefined || first === "") return null;
  const columns = rest.map((column, at) => readNumber(column, `Column ${at + 2}`));
  if (columns.length < 4) throw new BadValue(`There are ${columns.length + 1} columns, and a box has 5.`);
  if (columns.some((column) => Math.abs(column) > maxShare))
    throw new BadValue("Coordinates are no shares of the picture, from 0 to 1.");
  return { class: readWhole(first, "The class", maxClass), columns };
}

export const toPoints = (columns: readonly number[], { width, height }: PictureSize): Point[] =>
  Array.from({ length: Math.floor(columns.length / 2) }, (_, at) => [
    (columns[2 * at] ?? 0) * width,
    (columns[2 * at + 1] ?? 0) * height,
  ]);

type Corners = readonly [Point, Point, Point, Point];

/** Four points clockwise, from the first one. */
function toCorners(points: readonly Point[]): Corners | null {
  const [a, b, c, d] = points;
  if (!a || !b || !c || !d) return null;
  const across = (c[0] - a[0]) * (d[1] - b[1]) - (c[1] - a[1]) * (d[0] - b[0]);
  return across >= 0 ? [a, b, c, d] : [a, d, c, b];
}

const measure = (from: Point, to: Point): number => Math.hypot(to[0] - from[0], to[1] - from[1]);

/** Whether four points are the corners of a box, turned or not. */
export function areBoxCorners(points: readonly Point[]): boolean {
  const corners = toCorners(points);
  if (!corners) return false;
  return corners.every((corner, at) => {
    const [before, after] = [corners[(at + 3) % 4] ?? corner, corners[(at + 1) % 4] ?? corner];
    const sides = measure(before, corner) * measure(corner, after);
    const cosine = (before[0] - corner[0]) * (after[0] - corner[0]) + (before[1] - corner[1]) * (after[1] - corner[1]);
    return sides > 0 && Math.abs(cosine) <= rightAngle * sides;
  });
}

const toDegrees = (from: Point, to: Point): number => (Math.atan2(to[1] - from[1], to[0] - from[0]) * 180) / Math.PI;

/** The box around points with a side along a line. */
function boundAlong(points: readonly Point[], degrees: number) {
  const level = points.map((point) => turnPoint(point, [0, 0], -degrees));
  const [xs, ys] = [level.map(([x]) => x), level.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top];
  const [x, y] = turnPoint([left + width / 2, top + height / 2], [0, 0], degrees);
  return { x: x - width / 2, y: y - height / 2, width, height, degrees };
}

/** The box of four corners, clockwise from that which is the top left one before it is turned; of others the smallest around them. */
function toTurnedBox(points: readonly Point[]): Made {
  const corners = toCorners(points);
  if (!corners) return "A box has no four corners.";
  const [a, b, c, d] = corners;
  if (areBoxCorners(corners)) {
    const [width, height] = [(measure(a, b) + measure(d, c)) / 2, (measure(a, d) + measure(b, c)) / 2];
    const [x, y] = [(a[0] + b[0] + c[0] + d[0]) / 4, (a[1] + b[1] + c[1] + d[1]) / 4];
    // The longer sides say most exactly how it is turned.
    const degrees = width >= height ? toDegrees(a, b) : toDegrees(a, d) - 90;
    return toBox(x - width / 2, y - height / 2, width, height, Math.abs(degrees) < 1e-9 ? 0 : degrees);
  }
  const around = corners.map((corner, at) => boundAlong(corners, toDegrees(corner, corners[(at + 1) % 4] ?? corner)));
  const [box] = around.toSorted((one, other) => one.width * one.height - other.width * other.height);
  return box ? toBox(box.x, box.y, box.width, box.height, box.degrees) : "A box has no four corners.";
}

/** An outline, or the outlines of parts and holes that were joined to one. */
function toAreas(points: Point[]): Made[] {
  const [outer, ...others] = splitRings(points);
  if (!outer || others.length === 0) return [toPolygon(points)];
  const holes = others.filter((ring) => areOpposite(outer, ring));
  // Holes of which part is not known: the line stays one.
  if (holes.length > 0 && holes.length < others.length) return [toPolygon(points)];
  if (holes.length === 0) return [outer, ...others].map((ring) => toPolygon(ring.map(([x, y]) => [x, y])));
  const polygon = toPolygon(outer.map(([x, y]) => [x, y]));
  if (typeof polygon === "string" || polygon.type !== "polygon") return [polygon];
  const rings = holes.map((ring) => ring.map(([x, y]): Point => [x, y]));
  return [{ type: "polygon", coordinates: { ...polygon.coordinates, holes: rings } }];
}

function toCentredBox([x = 0, y = 0, across = 0, down = 0]: readonly number[], { width, height }: PictureSize): Made {
  if (across < 0 || down < 0) throw new BadValue("A box has a negative size.");
  return toBox((x - across / 2) * width, (y - down / 2) * height, across * width, down * height);
}

/** A skeleton, and its box where it is not only around the points. */
function toSkeleton(
  columns: readonly number[],
  { points, numbers }: NonNullable<YoloKind["skeleton"]>,
  size: PictureSize,
): Made[] {
  const box = toCentredBox(columns.slice(0, 4), size);
  const places: Point[] = [];
  const visibility: Visibility[] = [];
  for (let at = 0; at < points; at += 1) {
    const [x = 0, y = 0, seen] = columns.slice(4 + at * numbers, 4 + (at + 1) * numbers);
    places.push([x * size.width, y * size.height]);
    // Without a visibility, a point at the very corner is absent to trainers.
    visibility.push(numbers === 3 ? readVisibility(seen) : x === 0 && y === 0 ? 0 : 2);
  }
  const there = places.filter((_, at) => visibility[at] !== 0);
  if (there.length === 0) return [box];
  const around = boundAlong(there, 0);
  const isImplied =
    typeof box !== "string" &&
    box.type === "bbox" &&
    Math.abs(box.coordinates.x - around.x) <= near &&
    Math.abs(box.coordinates.y - around.y) <= near &&
    Math.abs(box.coordinates.width - around.width) <= 2 * near &&
    Math.abs(box.coordinates.height - around.height) <= 2 * near;
  const skeleton = toKeypoints(places, visibility);
  return isImplied ? [skeleton] : [skeleton, box];
}

/** What a line marks on a picture, with how sure a model was of it. */
export function readShapes(
  { columns }: YoloLine,
  { skeleton, isOriented }: YoloKind,
  size: PictureSize,
): { made: Made[]; confidence?: number } {
  const count = columns.length;
  if (count === 4) return { made: [toCentredBox(columns, size)] };
  if (skeleton) {
    const expected = 4 + skeleton.points * skeleton.numbers;
    if (count !== expected && count !== expected + 1)
      throw new BadValue(`There are ${count + 1} columns; a skeleton of data.yaml's kpt_shape has ${expected + 1}.`);
    return { made: toSkeleton(columns, skeleton, size), ...(count > expected && readConfidence(columns)) };
  }
  if (count === 5) return { made: [toCentredBox(columns, size)], ...readConfidence(columns) };
  const points = toPoints(columns, size);
  const confidence = count % 2 === 1 ? readConfidence(columns) : {};
  return { made: points.length === 4 && isOriented ? [toTurnedBox(points)] : toAreas(points), ...confidence };
}

function readConfidence(columns: readonly number[]): { confidence: number } {
  const confidence = columns.at(-1) ?? 0;
  if (confidence < 0 || confidence > 1) throw new BadValue("The last column, the confidence, is not from 0 to 1.");
  return { confidence };
}
