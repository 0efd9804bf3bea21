type Point = readonly [x: number, y: number];

/** Twice the area inside a ring, negative where it is counterclockwise on the picture. */
function measureTurn(ring: readonly Point[]): number {
  let sum = 0;
  let before = ring.at(-1) ?? [0, 0];
  for (const point of ring) {
    sum += before[0] * point[1] - point[0] * before[1];
    before = point;
  }
  return sum;
}

/** A ring that goes around clockwise, or counterclockwise. */
export const turnRing = (ring: readonly Point[], isClockwise: boolean): readonly Point[] =>
  measureTurn(ring) > 0 === isClockwise ? ring : ring.toReversed();

/** The rings of an area: clockwise around its parts, counterclockwise around its holes. */
export const orientRings = (outline: readonly Point[], holes: readonly (readonly Point[])[]): (readonly Point[])[] => [
  turnRing(outline, true),
  ...holes.map((hole) => turnRing(hole, false)),
];

/** The time that joining takes grows with the rings times their points; noise has a ring for each pixel. */
export const maxJoined = 1_000;

/**
 * One ring that encloses what several do, the largest ones of very many: from the largest a line leads to each other one
 * and back on itself, so that it encloses nothing.
 */
export function joinRings(rings: readonly (readonly Point[])[]): Point[] {
  const sizes = new Map(rings.map((ring) => [ring, Math.abs(measureTurn(ring))]));
  const size = (ring: readonly Point[]) => sizes.get(ring) ?? 0;
  const [largest = [], ...others] = rings.toSorted((a, b) => size(b) - size(a)).slice(0, maxJoined);
  let joined = [...largest];
  for (const ring of others) {
    const [entry] = ring;
    if (!entry) continue;
    let [nearest, least] = [0, Infinity];
    for (const [at, [x, y]] of joined.entries()) {
      const distance = Math.hypot(x - entry[0], y - entry[1]);
      if (distance < least) [nearest, least] = [at, distance];
    }
    const from = joined[nearest] ?? entry;
    joined = [...joined.slice(0, nearest + 1), ...ring, entry, from, ...joined.slice(nearest + 1)];
  }
  return joined;
}

/** Whether one ring goes around the other way than another. */
export const areOpposite = (one: readonly Point[], other: readonly Point[]): boolean =>
  measureTurn(one) > 0 !== measureTurn(other) > 0;

/** The rings that `joinRings` made one of: where a line is followed back, what lies between was another ring. The largest is first. */
export function splitRings(joined: readonly Point[]): (readonly Point[])[] {
  const rings: (readonly Point[])[] = [];
  const path: Point[] = [];
  const begins = new Map<string, number>();
  const key = (from: Point | undefined, to: Point) => `${from?.join()} ${to.join()}`;
  for (const point of joined) {
    const before = path.at(-1);
    const begin = before && begins.get(key(point, before));
    // A ring of three points, and its first one again.
    if (begin !== undefined && path.length - begin - 2 >= 3) {
      for (let at = path.length - 1; at > begin; at -= 1) {
        const [from, to] = [path[at - 1], path[at]];
        if (to && begins.get(key(from, to)) === at - 1) begins.delete(key(from, to));
      }
      rings.push(path.splice(begin + 1).slice(0, -1));
      continue;
    }
    // The first one: a ring may itself go along the line that leads to it.
    if (before && !begins.has(key(before, point))) begins.set(key(before, point), path.length - 1);
    path.push(point);
  }
  return [path, ...rings].toSorted((a, b) => Math.abs(measureTurn(b)) - Math.abs(measureTurn(a)));
}
