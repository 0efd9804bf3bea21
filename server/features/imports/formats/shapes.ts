import { createHash } from "node:crypto";
import { toRotation } from "@/domain/annotations/rotated-box";
import { toCoordinates } from "@/domain/masks/mask-figure";
import { toColumnRuns } from "@/domain/masks/row-runs";
import { cropRuns, sumRuns, type Area } from "@/domain/masks/run-lengths";
import type { Annotation } from "@/domain/tasks/schema";
import type { PictureSize } from "@/server/features/imports/formats/annotation-file";
import { BadValue } from "@/server/features/imports/formats/values";

/** What an annotation marks, or a sentence that says why it can be none. */
type Shape = Annotation extends infer Each
  ? Each extends Annotation
    ? Pick<Each, "type" | "coordinates">
    : never
  : never;
export type Made = Shape | string;

export type Point = [x: number, y: number];

const maxPoints = 10_000;
const maxMaskPixels = 2 ** 28;
/** The length of the text of a mask; each of its runs takes a character at least. */
export const maxCountsLength = 2 * 1024 * 1024;

export const manyDetails = "A mask has more detail than one may have.";
export const fewPoints = "A polygon has fewer than 3 points.";
export const manyPoints = "A shape has more than 10,000 points.";

/** A box; `rotation` in degrees clockwise about its center, of any size. */
export const toBox = (x: number, y: number, width: number, height: number, rotation = 0): Shape => {
  const turned = toRotation(rotation);
  return { type: "bbox", coordinates: { x, y, width, height, ...(turned !== 0 && { rotation: turned }) } };
};

export const toPolygon = (points: Point[]): Made =>
  points.length < 3 ? fewPoints : points.length > maxPoints ? manyPoints : { type: "polygon", coordinates: { points } };

export const toPolyline = (points: Point[]): Made =>
  points.length < 2
    ? "A line has fewer than 2 points."
    : points.length > maxPoints
      ? manyPoints
      : { type: "polyline", coordinates: { points } };

export type Visibility = 0 | 1 | 2;

/** Points with what is seen of each; without that where all are seen. */
export const toKeypoints = (points: Point[], visibility: Visibility[]): Made => {
  if (points.length === 0) return "Points are missing.";
  if (points.length > maxPoints) return manyPoints;
  return { type: "keypoints", coordinates: { points, ...(visibility.some((each) => each !== 2) && { visibility }) } };
};

export function readVisibility(value: unknown): Visibility {
  const number = Number(value);
  if (number !== 0 && number !== 1 && number !== 2) throw new BadValue("The visibility of a point is not 0, 1 or 2.");
  return number;
}

/** Pairs of numbers as points. */
export function pairNumbers(numbers: readonly number[]): Point[] {
  if (numbers.length % 2 !== 0) throw new BadValue("The coordinates of points are not in pairs.");
  return Array.from({ length: numbers.length / 2 }, (_, at) => [numbers[2 * at] ?? 0, numbers[2 * at + 1] ?? 0]);
}

/** Throws BadValue for a picture whose masks would need more memory than those of any other. */
export function checkMaskSize({ width, height }: PictureSize): void {
  if (width * height > maxMaskPixels)
    throw new BadValue(`A mask is of a picture of more than ${maxMaskPixels} pixels.`);
}

/** A mask of the runs of a box. */
function toMask(found: { box: Area; runs: readonly number[] } | null, size: PictureSize): Made {
  if (!found) return "A mask has no pixel.";
  const coordinates = toCoordinates(found.box, found.runs, size);
  return coordinates.counts.length > maxCountsLength ? manyDetails : { type: "mask", coordinates };
}

/** A mask of the runs of a whole picture, down its columns. */
export function toPictureMask(runs: readonly number[], size: PictureSize): Made {
  checkMaskSize(size);
  const pixels = sumRuns(runs);
  if (pixels !== size.width * size.height)
    throw new BadValue(
      `A mask has ${pixels} pixels, and the picture of ${size.width} by ${size.height} has ${size.width * size.height}.`,
    );
  return toMask(cropRuns(runs, size.height), size);
}

/** A mask of runs along the rows of a box. */
export function toRowMask(runs: readonly number[], box: Area, size: PictureSize): Made {
  checkMaskSize(size);
  const pixels = sumRuns(runs);
  if (box.x + box.width > size.width || box.y + box.height > size.height)
    throw new BadValue(
      `A mask of ${box.width} by ${box.height} pixels at ${box.x}, ${box.y} is larger than the picture of ${size.width} by ${size.height}.`,
    );
  if (pixels !== box.width * box.height)
    throw new BadValue(`The runs of a mask have ${pixels} pixels, and its box has ${box.width * box.height}.`);
  const found = toColumnRuns(runs, box, maxCountsLength);
  return found === "detailed" ? manyDetails : toMask(found === "empty" ? null : found, size);
}

/** A number that names something in a file as an id that stays the same whenever it is read. */
export function toStableUid(...parts: readonly (string | number)[]): string {
  const hex = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}
