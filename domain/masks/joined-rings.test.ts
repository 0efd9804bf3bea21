import { expect, test } from "vitest";
import { toPictureRuns } from "./fill";
import { areOpposite, joinRings, maxJoined, orientRings, splitRings, turnRing } from "./joined-rings";
import { toFigure } from "./mask-figure";
import { outlineMask } from "./outline";
import { decodeRuns, encodePixels, measureRuns } from "./run-lengths";

/** Pixels from rows of a picture in characters. */
const draw = (...rows: string[]): Uint8Array =>
  Uint8Array.from([...rows.join("")].map((each) => (each === "#" ? 1 : 0)));

/** Numbers from 0 to 1 that are the same in every run. */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

test("200 random masks are filled again from their outlines, also from those that are joined to one", () => {
  const random = makeRandom(7);
  for (let round = 0; round < 200; round += 1) {
    const [width, height] = [1 + Math.floor(random() * 24), 1 + Math.floor(random() * 24)];
    const share = random();
    const pixels = Uint8Array.from({ length: width * height }, () => (random() < share ? 1 : 0));
    const runs = encodePixels(pixels, width, height);
    const figure = toFigure({ x: 0, y: 0, width, height }, runs);
    const rings = outlineMask(figure).map(({ points, isHole }) => turnRing(points, !isHole));
    expect(toPictureRuns(rings, { width, height })).toEqual(runs);
    const joined = joinRings(rings);
    expect(toPictureRuns([joined], { width, height })).toEqual(runs);
    const split = splitRings(joined).filter((ring) => ring.length > 0);
    const sort = (some: readonly unknown[]) => some.map((ring) => JSON.stringify(ring)).toSorted();
    expect(sort(split.map(turnFirst))).toEqual(sort(rings.map(turnFirst)));
  }
});

/** A ring that begins at its first corner from the left and the top. */
function turnFirst(ring: readonly (readonly [number, number])[]) {
  const places = ring.map(([x, y], at) => ({ x, y, at })).toSorted((a, b) => a.x - b.x || a.y - b.y);
  const [{ at } = { at: 0 }] = places;
  return [...ring.slice(at), ...ring.slice(0, at)];
}

test("a ring that is none of several stays as it is, also with points that are there twice", () => {
  const square: [number, number][] = [
    [0, 0],
    [4, 0],
    [4, 4],
    [0, 4],
  ];
  const spike: [number, number][] = [...square.slice(0, 2), [9, 9], [4, 0], ...square.slice(2)];
  const twice: [number, number][] = square.flatMap((point) => [point, point, point]);
  for (const ring of [square, spike, twice, []]) expect(splitRings(ring)).toEqual([ring]);
  expect([areOpposite(square, square), areOpposite(square, square.toReversed())]).toEqual([false, true]);
});

test("a polygon holds the pixels whose centers are inside, without those of its holes, and none outside of the picture", () => {
  const outline: [number, number][] = [
    [-4, 0.6],
    [6, 0.6],
    [6, 9],
    [-4, 9],
  ];
  const hole: [number, number][] = [
    [1, 2],
    [3, 2],
    [3, 4],
    [1, 4],
  ];
  const filled = decodeRuns(toPictureRuns([outline, hole], { width: 8, height: 5 }), 8, 5);
  expect(filled).toEqual(draw("........", "######..", "#..###..", "#..###..", "######.."));
  expect(measureRuns(toPictureRuns([joinRings(orientRings(outline, [hole]))], { width: 8, height: 5 }))).toBe(20);
  expect(toPictureRuns([[]], { width: 3, height: 2 })).toEqual([6]);
});

test("of more rings than can be joined in reasonable time the largest are", () => {
  const square = (x: number, side: number): [number, number][] => [
    [x, 0],
    [x + side, 0],
    [x + side, side],
    [x, side],
  ];
  const rings = Array.from({ length: maxJoined + 5 }, (_, at) => square(3 * at, at < 5 ? 1 : 2));
  const runs = toPictureRuns([joinRings(rings)], { width: 3 * rings.length, height: 2 });
  expect(measureRuns(runs)).toBe(4 * maxJoined);
});
