import { boundPoints, type Bounds } from "@/domain/annotations/geometry";
import { parseRuns } from "@/domain/masks/run-lengths";
import type { PictureSize } from "@/server/features/imports/formats/annotation-file";
import {
  fewPoints,
  manyDetails,
  maxCountsLength,
  pairNumbers,
  readVisibility,
  toBox,
  toKeypoints,
  toPictureMask,
  toPolygon,
  type Made,
  type Point,
  type Visibility,
} from "@/server/features/imports/formats/shapes";
import { BadValue, isObject, readLength, readNumber, readWhole } from "@/server/features/imports/formats/values";

/** The members of an annotation of COCO that say where it is. */
export interface CocoPlaces {
  bbox?: unknown;
  segmentation?: unknown;
  keypoints?: unknown;
}

/** How far a box may be from the points that it is around, in pixels. */
const near = 1e-3;
const maxSide = 100_000;

type Box = readonly [x: number, y: number, width: number, height: number];

function readBox(bbox: unknown): Box | null {
  if (bbox === undefined || bbox === null || (Array.isArray(bbox) && bbox.length === 0)) return null;
  if (!Array.isArray(bbox) || bbox.length !== 4) throw new BadValue("bbox is no list of four numbers.");
  return [
    readNumber(bbox[0], "bbox[0]"),
    readNumber(bbox[1], "bbox[1]"),
    readLength(bbox[2], "bbox[2]"),
    readLength(bbox[3], "bbox[3]"),
  ];
}

const readNumbers = (values: readonly unknown[], name: string): number[] =>
  values.map((value, at) => readNumber(value, `${name}[${at}]`));

/** Run lengths, as text or as a list, of a picture whose size may be known. */
function readRle(segmentation: Readonly<Record<string, unknown>>, picture: PictureSize | null): Made {
  const { size, counts } = segmentation;
  if (!Array.isArray(size) || size.length !== 2) throw new BadValue("segmentation.size is not [height, width].");
  const height = readWhole(size[0], "segmentation.size[0]", maxSide);
  const width = readWhole(size[1], "segmentation.size[1]", maxSide);
  if (picture && (picture.width !== width || picture.height !== height))
    throw new BadValue(
      `The run lengths are of ${width} by ${height} pixels, and the picture has ${picture.width} by ${picture.height}.`,
    );
  // A run takes a character or more, also in the box that a mask is kept in.
  if ((typeof counts === "string" || Array.isArray(counts)) && counts.length > maxCountsLength) return manyDetails;
  const runs =
    typeof counts === "string"
      ? parseRuns(counts)
      : Array.isArray(counts)
        ? counts.map((run, at) => readWhole(run, `segmentation.counts[${at}]`, maxSide * maxSide))
        : null;
  if (!runs) throw new BadValue("segmentation.counts holds no run lengths.");
  return toPictureMask(runs, { width, height });
}

/** An area: run lengths, or the outline of each of its parts. */
function readSegmentation(segmentation: unknown, picture: PictureSize | null): Made[] {
  if (segmentation === undefined || segmentation === null) return [];
  if (isObject(segmentation)) return [readRle(segmentation, picture)];
  if (!Array.isArray(segmentation)) throw new BadValue("segmentation is neither outlines nor run lengths.");
  const isOne = segmentation.length > 0 && segmentation.every((each) => typeof each === "number");
  const rings: readonly unknown[] = isOne ? [segmentation] : segmentation;
  return rings.map((ring, at) => {
    if (!Array.isArray(ring)) throw new BadValue(`segmentation[${at}] is no list of numbers.`);
    return toPolygon(pairNumbers(readNumbers(ring, `segmentation[${at}]`)));
  });
}

interface Skeleton {
  points: Point[];
  visibility: Visibility[];
  /** Around those that are there. */
  bounds: Bounds | null;
}

function readSkeleton(keypoints: unknown): Skeleton | null {
  if (!Array.isArray(keypoints) || keypoints.length === 0) return null;
  if (keypoints.length % 3 !== 0) throw new BadValue("keypoints are not x, y and visibility of each point.");
  const [points, visibility]: [Point[], Visibility[]] = [[], []];
  for (let at = 0; at < keypoints.length; at += 3) {
    points.push([readNumber(keypoints[at], `keypoints[${at}]`), readNumber(keypoints[at + 1], `keypoints[${at + 1}]`)]);
    visibility.push(readVisibility(keypoints[at + 2]));
  }
  return { points, visibility, bounds: boundPoints(points.filter((_, at) => visibility[at] !== 0)) };
}

/** Whether a box is that around points, as far as these are in the picture. */
function isAround(
  [x, y, width, height]: Box,
  { left, top, right, bottom }: Bounds,
  picture: PictureSize | null,
): boolean {
  const within = (value: number, max: number | undefined) =>
    max === undefined ? value : Math.min(Math.max(value, 0), max);
  const sides = [
    [x, within(left, picture?.width)],
    [y, within(top, picture?.height)],
    [x + width, within(right, picture?.width)],
    [y + height, within(bottom, picture?.height)],
  ] as const;
  return sides.every(([one, other]) => Math.abs(one - other) <= near);
}

/**
 * What an annotation marks: its area, or its box where it has none, and its skeleton. A box that is only around the points of
 * a skeleton marks nothing further.
 */
export function readPlaces(
  { bbox, segmentation, keypoints }: CocoPlaces,
  picture: PictureSize | null,
  rotation: number,
): Made[] {
  const [box, skeleton] = [readBox(bbox), readSkeleton(keypoints)];
  const outlined = readSegmentation(segmentation, picture);
  // Programs write [[]] for what has a box alone.
  const areas = box && outlined.every((area) => area === fewPoints) ? [] : outlined;
  const isEmpty = areas.length === 0 && (!box || box[2] * box[3] === 0);
  const points = skeleton && (skeleton.bounds || isEmpty) ? [toKeypoints(skeleton.points, skeleton.visibility)] : [];
  if (areas.length > 0) return [...points, ...areas];
  const isImplied = points.length > 0 && (!box || !skeleton?.bounds || isAround(box, skeleton.bounds, picture));
  if (box && !isImplied) return [...points, toBox(...box, rotation)];
  return points.length > 0 ? points : ["An annotation has no place: neither a box nor an outline."];
}
