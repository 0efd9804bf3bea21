import { gatherSegments } from "./run-lengths";

type Point = readonly [x: number, y: number];

/**
 * The runs of the pixels of a picture whose centers lie in rings of points, by the even-odd rule: a ring inside another
 * one is a hole.
 */
export function fillRings(rings: readonly (readonly Point[])[], width: number, height: number): number[] {
  const columns = new Map<number, number[]>();
  for (const ring of rings) {
    let before = ring.at(-1);
    for (const point of ring) {
      if (before) cutColumns(before, point, width, columns);
      before = point;
    }
  }
  const segments: [x: number, from: number, to: number][] = [];
  for (const x of [...columns.keys()].toSorted((a, b) => a - b)) {
    const cuts = (columns.get(x) ?? []).toSorted((a, b) => a - b);
    for (let at = 0; at + 1 < cuts.length; at += 2) {
      const [from, to] = [toRow(cuts[at] ?? 0, height), toRow(cuts[at + 1] ?? 0, height)];
      if (to > from) segments.push([x, from, to]);
    }
  }
  return gatherSegments(height, width * height, segments);
}

/** The first row whose center lies at a height or below. */
const toRow = (y: number, height: number): number => Math.min(Math.max(Math.ceil(y - 0.5), 0), height);

/** Adds the heights at which an edge passes the centers of columns. */
function cutColumns(from: Point, to: Point, width: number, columns: Map<number, number[]>): void {
  const [left, right] = from[0] <= to[0] ? [from, to] : [to, from];
  const first = Math.max(Math.ceil(left[0] - 0.5), 0);
  const end = Math.min(Math.ceil(right[0] - 0.5), width);
  const slope = (right[1] - left[1]) / (right[0] - left[0]);
  for (let x = first; x < end; x += 1) {
    const y = left[1] + (x + 0.5 - left[0]) * slope;
    const cuts = columns.get(x);
    if (cuts) cuts.push(y);
    else columns.set(x, [y]);
  }
}
