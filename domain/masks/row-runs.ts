import { boxSegments, gatherSegments, type Area } from "./run-lengths";

/*
 * CVAT and Label Studio have runs of equal pixels that lie row by row, the first of them outside the mask, where COCO has columns.
 * Lines are here rows of the former, or columns of the latter.
 */

/** The places of each line where the mask begins and ends. */
function* listLines(runs: readonly number[], length: number): Generator<number[]> {
  let ends: number[] = [];
  let at = 0;
  for (const [index, run] of runs.entries()) {
    for (let left = run; left > 0;) {
      const part = Math.min(left, length - at);
      if (index % 2 === 1) {
        if (ends.at(-1) === at) ends.pop();
        else ends.push(at);
        ends.push(at + part);
      }
      at += part;
      left -= part;
      if (at < length) continue;
      yield ends;
      [ends, at] = [[], 0];
    }
  }
}

/** Where a line differs from the one before: from the first place on, up to each second one. */
function compareLines(before: readonly number[], line: readonly number[]): number[] {
  const places: number[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < line.length) {
    const [one, other] = [before[i] ?? Infinity, line[j] ?? Infinity];
    if (one <= other) i += 1;
    if (other <= one) j += 1;
    // Where both begin or end, nothing differs that did not before.
    if (one !== other) places.push(Math.min(one, other));
  }
  return places;
}

/** Of each line across, the lines where the mask begins and ends on it; null where there would be more than `max` of them. */
function cutAcross(runs: readonly number[], length: number, max: number): Map<number, number[]> | null {
  const cuts = new Map<number, number[]>();
  let [count, at]: [number, number] = [0, 0];
  let before: number[] = [];
  const cut = (places: readonly number[]): boolean => {
    for (let place = 0; place < places.length; place += 2) {
      const [from, to] = [places[place] ?? 0, places[place + 1] ?? 0];
      count += to - from;
      if (count > max) return false;
      for (let across = from; across < to; across += 1) {
        const own = cuts.get(across);
        if (own) own.push(at);
        else cuts.set(across, [at]);
      }
    }
    return true;
  };
  for (const ends of listLines(runs, length)) {
    if (!cut(compareLines(before, ends))) return null;
    before = ends;
    at += 1;
  }
  return cut(before) ? cuts : null;
}

/** The parts of the lines across, from the first, moved by so many lines across and along them. */
function* listAcross(
  cuts: ReadonlyMap<number, number[]>,
  across: number,
  along: number,
): Generator<[line: number, from: number, to: number]> {
  for (const [line, own] of [...cuts].toSorted(([a], [b]) => a - b))
    for (let at = 0; at + 1 < own.length; at += 2)
      yield [line + across, (own[at] ?? 0) + along, (own[at + 1] ?? 0) + along];
}

/**
 * Runs of a box that lie row by row, which fill it, as runs of the smallest box around the mask down its columns. "empty": there
 * is no pixel. "detailed": there would be more than `maxRuns`; the pixels themselves are never laid out.
 */
export function toColumnRuns(
  runs: readonly number[],
  { x, y, width }: Area,
  maxRuns: number,
): { box: Area; runs: number[] } | "empty" | "detailed" {
  const cuts = cutAcross(runs, width, maxRuns);
  return cuts === null ? "detailed" : (boxSegments([...listAcross(cuts, x, y)]) ?? "empty");
}

/** Runs down the columns of a box, which fill it, as runs of a picture that lie row by row. The pixels are never laid out. */
export function toRowRuns(runs: readonly number[], { x, y, height }: Area, picture: Omit<Area, "x" | "y">): number[] {
  const cuts = cutAcross(runs, height, Infinity) ?? new Map<number, number[]>();
  function* inside(): Generator<[number, number, number]> {
    for (const [row, from, to] of listAcross(cuts, y, x)) {
      const end = Math.min(to, picture.width);
      if (row < picture.height && from < end) yield [row, from, end];
    }
  }
  return gatherSegments(picture.width, picture.width * picture.height, inside());
}

/**
 * How long the edges of a mask are that lie along the columns of its box, and how many corners it has; as far as `enough` of
 * both together.
 */
export function measureEdges(
  runs: readonly number[],
  height: number,
  enough: number,
): { length: number; corners: number } {
  const edges = { length: 0, corners: 0 };
  const add = (places: readonly number[]): void => {
    edges.corners += places.length;
    for (let at = 0; at < places.length; at += 2) edges.length += (places[at + 1] ?? 0) - (places[at] ?? 0);
  };
  let before: number[] = [];
  for (const line of listLines(runs, height)) {
    add(compareLines(before, line));
    before = line;
    if (edges.length + edges.corners > enough) return edges;
  }
  add(before);
  return edges;
}
