import { areTouching, boundPoints, joinBounds, type Bounds, type Point } from "./geometry";

/** Rows in which areas with many points are measured. */
const maxRows = 512;

/** The line around an area, and those around its holes. */
export type Rings = readonly (readonly Point[])[];

/** Where an area begins and ends on a row, by the even-odd rule: pairs of x, from left to right. */
function cutRow(rings: Rings, y: number): number[] {
  const cuts: number[] = [];
  for (const points of rings) {
    let before = points.at(-1);
    for (const point of points) {
      if (before && point[1] > y !== before[1] > y)
        cuts.push(((before[0] - point[0]) * (y - point[1])) / (before[1] - point[1]) + point[0]);
      before = point;
    }
  }
  return cuts.toSorted((a, b) => a - b);
}

function measureCuts(cuts: readonly number[]): number {
  let length = 0;
  for (let at = 0; at + 1 < cuts.length; at += 2) length += (cuts[at + 1] ?? 0) - (cuts[at] ?? 0);
  return length;
}

function measureCommon(a: readonly number[], b: readonly number[]): number {
  let [length, i, j] = [0, 0, 0];
  while (i + 1 < a.length && j + 1 < b.length) {
    const [endA, endB] = [a[i + 1] ?? 0, b[j + 1] ?? 0];
    length += Math.max(0, Math.min(endA, endB) - Math.max(a[i] ?? 0, b[j] ?? 0));
    if (endA < endB) i += 2;
    else j += 2;
  }
  return length;
}

/** The heights between which rows are measured: those of the points, divided further, or evenly where they are many. */
function listHeights(points: readonly Point[], { top, bottom }: Bounds): number[] {
  const ends = [...new Set(points.map(([, y]) => y))].toSorted((a, b) => a - b);
  const isFew = ends.length <= maxRows / 2;
  const parts = isFew ? Math.ceil(maxRows / Math.max(1, ends.length - 1)) : 1;
  const even = Array.from({ length: maxRows + 1 }, (_, at) => top + ((bottom - top) * at) / maxRows);
  if (!isFew) return even;
  return ends.flatMap((end, at) => {
    const next = ends[at + 1];
    if (next === undefined) return [end];
    return Array.from({ length: parts }, (_, part) => end + ((next - end) * part) / parts);
  });
}

/**
 * The share of two areas that both have: 0 for apart, 1 for equal. Exact for boxes; where areas have slanting or crossing
 * sides, measured in 512 rows or more. Holes and crossing rings count by the even-odd rule.
 */
export function measureOverlap(a: Rings, b: Rings): number {
  const [pointsA, pointsB] = [a.flat(), b.flat()];
  const [boundsA, boundsB] = [boundPoints(pointsA), boundPoints(pointsB)];
  if (!boundsA || !boundsB || !areTouching(boundsA, boundsB)) return 0;
  const heights = listHeights([...pointsA, ...pointsB], joinBounds(boundsA, boundsB));
  let [common, all] = [0, 0];
  heights.forEach((from, at) => {
    const to = heights[at + 1];
    if (to === undefined) return;
    const middle = (from + to) / 2;
    const [cutsA, cutsB] = [cutRow(a, middle), cutRow(b, middle)];
    const shared = measureCommon(cutsA, cutsB);
    common += shared * (to - from);
    all += (measureCuts(cutsA) + measureCuts(cutsB) - shared) * (to - from);
  });
  return all === 0 ? 0 : Math.min(1, common / all);
}
