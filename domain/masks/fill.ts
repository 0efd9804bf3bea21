import { boxSegments, gatherSegments, type Area } from "./run-lengths";

type Ring = readonly (readonly [x: number, y: number])[];

/** Of each column of a picture the places where lines cross the middle of its pixels. */
function listCuts(rings: readonly Ring[], width: number): Map<number, number[]> {
  const cuts = new Map<number, number[]>();
  for (const ring of rings) {
    let before = ring.at(-1);
    for (const point of ring) {
      const [from, to] = before && before[0] > point[0] ? [point, before] : [before ?? point, point];
      const last = Math.min(width, Math.ceil(to[0] - 0.5));
      for (let column = Math.max(0, Math.ceil(from[0] - 0.5)); column < last; column++) {
        const share = (column + 0.5 - from[0]) / (to[0] - from[0]);
        const cut = from[1] + share * (to[1] - from[1]);
        const there = cuts.get(column);
        if (there) there.push(cut);
        else cuts.set(column, [cut]);
      }
      before = point;
    }
  }
  return cuts;
}

/** The pixels whose middle is inside of rings, by the even-odd rule: parts of columns from the left, each from its top. */
export function fillRings(
  rings: readonly Ring[],
  { width, height }: { width: number; height: number },
): [x: number, from: number, to: number][] {
  const toRow = (cut: number): number => Math.min(height, Math.max(0, Math.ceil(cut - 0.5)));
  return [...listCuts(rings, width)]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([column, cuts]) => {
      cuts.sort((a, b) => a - b);
      const segments: [number, number, number][] = [];
      for (let at = 0; at + 1 < cuts.length; at += 2) {
        const [from, to] = [toRow(cuts[at] ?? 0), toRow(cuts[at + 1] ?? 0)];
        const last = segments.at(-1);
        if (from === to) continue;
        if (last && last[2] === from) last[2] = to;
        else segments.push([column, from, to]);
      }
      return segments;
    });
}

/** The runs of the pixels inside of rings, and the box that they are of; null where there are none. */
export const toRuns = (
  rings: readonly Ring[],
  picture: { width: number; height: number },
): { box: Area; runs: number[] } | null => boxSegments(fillRings(rings, picture));

/** The runs of a whole picture with the pixels inside of rings. */
export const toPictureRuns = (rings: readonly Ring[], picture: { width: number; height: number }): number[] =>
  gatherSegments(picture.height, picture.width * picture.height, fillRings(rings, picture));
