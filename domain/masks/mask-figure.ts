import { formatRuns, measureRuns, parseRuns, sumRuns, type Area } from "./run-lengths";

/** What annotations of masks hold. A type, because interfaces have no members without a name. */
export type MaskCoordinates = {
  /** Height and width of the picture. */
  size: [number, number];
  /** Left, top, width and height. */
  box: [number, number, number, number];
  counts: string;
};

/** Pixels of a picture as the runs of a box around them, which a place is found in without decoding them. */
export interface MaskFigure extends Readonly<Area> {
  runs: readonly number[];
  /** Where each run ends, in pixels of the box down its columns. */
  ends: Float64Array;
  /** How many pixels are in the mask. */
  area: number;
}

export function toFigure({ x, y, width, height }: Area, runs: readonly number[]): MaskFigure {
  const ends = new Float64Array(runs.length);
  let end = 0;
  for (const [at, run] of runs.entries()) ends[at] = end += run;
  return { x, y, width, height, runs, ends, area: measureRuns(runs) };
}

export const toCoordinates = (
  { x, y, width, height }: Area,
  runs: readonly number[],
  picture: { width: number; height: number },
): MaskCoordinates => ({
  size: [picture.height, picture.width],
  box: [x, y, width, height],
  counts: formatRuns(runs),
});

const known = new WeakMap<object, MaskFigure | null>();

const readNumbers = (value: unknown, length: number): number[] | null => {
  if (!Array.isArray(value) || value.length !== length) return null;
  const numbers = value.filter((each: unknown): each is number => Number.isInteger(each));
  return numbers.length === length ? numbers : null;
};

function read({ box, counts }: { readonly box?: unknown; readonly counts?: unknown }): MaskFigure | null {
  const [x = 0, y = 0, width = 0, height = 0] = readNumbers(box, 4) ?? [];
  if (width < 1 || height < 1 || typeof counts !== "string") return null;
  const runs = parseRuns(counts);
  return runs && sumRuns(runs) === width * height ? toFigure({ x, y, width, height }, runs) : null;
}

/** The mask of coordinates, which are read once and never change; null for those of something else. */
export function readMask(
  coordinates: Readonly<Record<string, unknown>> | Readonly<MaskCoordinates>,
): MaskFigure | null {
  const before = known.get(coordinates);
  if (before !== undefined) return before;
  const figure = read(coordinates);
  known.set(coordinates, figure);
  return figure;
}

/** Coordinates elsewhere on the picture, by whole pixels; nothing of them is read again. */
export function moveMask<Coordinates extends MaskCoordinates>(coordinates: Coordinates, dx: number, dy: number) {
  const figure = readMask(coordinates);
  const [x, y, width, height] = coordinates.box;
  const moved: Coordinates = { ...coordinates, box: [x + dx, y + dy, width, height] };
  known.set(moved, figure && { ...figure, x: x + dx, y: y + dy });
  return moved;
}

/** The first run that ends behind a pixel of the box. */
function findRun(ends: Float64Array, pixel: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? Infinity) <= pixel) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where the mask begins and ends in a column of the picture: pairs of y, from the top. */
export function cutColumn({ x, y, width, height, ends }: MaskFigure, column: number): number[] {
  if (column < x || column >= x + width) return [];
  const [first, end] = [(column - x) * height, (column - x + 1) * height];
  const cuts: number[] = [];
  for (let at = findRun(ends, first); at < ends.length; at++) {
    const from = Math.max(first, ends[at - 1] ?? 0);
    if (from >= end) break;
    if (at % 2 === 0) continue;
    const [top, bottom] = [from - first + y, Math.min(end, ends[at] ?? end) - first + y];
    if (top === bottom) continue;
    if (cuts.at(-1) === top) cuts[cuts.length - 1] = bottom;
    else cuts.push(top, bottom);
  }
  return cuts;
}

export const isInMask = ({ x, y, width, height, ends }: MaskFigure, column: number, row: number): boolean =>
  column >= x &&
  row >= y &&
  column < x + width &&
  row < y + height &&
  findRun(ends, (column - x) * height + row - y) % 2 === 1;

/** How much of the mask is between bounds, in square pixels. */
export function measureWithin(
  figure: MaskFigure,
  { left, top, right, bottom }: { left: number; top: number; right: number; bottom: number },
): number {
  let area = 0;
  const last = Math.min(Math.ceil(right), figure.x + figure.width);
  for (let column = Math.max(Math.floor(left), figure.x); column < last; column++) {
    const cuts = cutColumn(figure, column);
    const share = Math.min(right, column + 1) - Math.max(left, column);
    for (let at = 0; at + 1 < cuts.length; at += 2)
      area += share * Math.max(0, Math.min(bottom, cuts[at + 1] ?? 0) - Math.max(top, cuts[at] ?? 0));
  }
  return area;
}

/** The share of the pixels of two masks that both have: 0 for apart, 1 for equal. */
export function overlapMasks(a: MaskFigure, b: MaskFigure): number {
  let common = 0;
  const last = Math.min(a.x + a.width, b.x + b.width);
  for (let column = Math.max(a.x, b.x); column < last; column++) {
    const [cutsA, cutsB] = [cutColumn(a, column), cutColumn(b, column)];
    let [i, j] = [0, 0];
    while (i + 1 < cutsA.length && j + 1 < cutsB.length) {
      const [endA, endB] = [cutsA[i + 1] ?? 0, cutsB[j + 1] ?? 0];
      common += Math.max(0, Math.min(endA, endB) - Math.max(cutsA[i] ?? 0, cutsB[j] ?? 0));
      if (endA < endB) i += 2;
      else j += 2;
    }
  }
  const all = a.area + b.area - common;
  return all === 0 ? 0 : common / all;
}
