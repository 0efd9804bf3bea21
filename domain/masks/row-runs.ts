import { boxSegments, type Area } from "./run-lengths";

/** Runs of equal pixels that lie row by row, the first of them outside the mask, as CVAT and Label Studio count them. */
export function encodeRows(pixels: Uint8Array): number[] {
  const runs: number[] = [];
  let run = 0;
  let isInside = false;
  for (const pixel of pixels) {
    if ((pixel !== 0) !== isInside) {
      runs.push(run);
      run = 0;
      isInside = !isInside;
    }
    run += 1;
  }
  runs.push(run);
  return runs;
}

/** The places of each row where the mask begins and ends, from the left. */
function* listRows(runs: readonly number[], width: number): Generator<number[]> {
  let ends: number[] = [];
  let at = 0;
  for (const [index, run] of runs.entries()) {
    for (let left = run; left > 0;) {
      const length = Math.min(left, width - at);
      if (index % 2 === 1) {
        if (ends.at(-1) === at) ends.pop();
        else ends.push(at);
        ends.push(at + length);
      }
      at += length;
      left -= length;
      if (at < width) continue;
      yield ends;
      [ends, at] = [[], 0];
    }
  }
}

/** The columns where a row differs from the one above: from the first place on, up to each second one. */
function compareRows(above: readonly number[], row: readonly number[]): number[] {
  const places: number[] = [];
  let [i, j] = [0, 0];
  while (i < above.length || j < row.length) {
    const [one, other] = [above[i] ?? Infinity, row[j] ?? Infinity];
    if (one <= other) i += 1;
    if (other <= one) j += 1;
    // Where both begin or end, nothing differs that did not before.
    if (one !== other) places.push(Math.min(one, other));
  }
  return places;
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
  const cuts = new Map<number, number[]>();
  let [count, row]: [number, number] = [0, 0];
  let above: number[] = [];
  const cut = (places: readonly number[]): boolean => {
    for (let at = 0; at < places.length; at += 2) {
      const [from, to] = [places[at] ?? 0, places[at + 1] ?? 0];
      count += to - from;
      if (count > maxRuns) return false;
      for (let column = from; column < to; column += 1) {
        const own = cuts.get(column);
        if (own) own.push(row);
        else cuts.set(column, [row]);
      }
    }
    return true;
  };
  for (const ends of listRows(runs, width)) {
    if (!cut(compareRows(above, ends))) return "detailed";
    above = ends;
    row += 1;
  }
  if (!cut(above)) return "detailed";
  const segments = [...cuts]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([column, own]) =>
      Array.from({ length: own.length / 2 }, (_, at): [number, number, number] => [
        column + x,
        (own[2 * at] ?? 0) + y,
        (own[2 * at + 1] ?? 0) + y,
      ]),
    );
  return boxSegments(segments) ?? "empty";
}
