import { expect, test } from "vitest";
import { fillRings } from "./fill-rings";
import { decodeRuns, encodePixels, measureRuns } from "./run-lengths";
import { joinRings, orientRings, traceRings } from "./trace-rings";

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

test("a mask is outlined by its corners, clockwise, and its hole counterclockwise", () => {
  expect(traceRings(draw("....", ".##.", "...."), 4, 3)).toEqual([
    [
      [3, 1],
      [3, 2],
      [1, 2],
      [1, 1],
    ],
  ]);
  const [, hole] = traceRings(draw("###", "#.#", "###"), 3, 3);
  expect(hole).toEqual([
    [1, 2],
    [2, 2],
    [2, 1],
    [1, 1],
  ]);
});

test("parts that touch at a corner only have outlines of their own", () => {
  expect(traceRings(draw("#.", ".#"), 2, 2).map((ring) => ring.length)).toEqual([4, 4]);
  expect(traceRings(draw(".#", "#."), 2, 2).map((ring) => ring.length)).toEqual([4, 4]);
});

test("200 random masks are filled again from their outlines, also from those that are joined to one", () => {
  const random = makeRandom(7);
  for (let round = 0; round < 200; round += 1) {
    const [width, height] = [1 + Math.floor(random() * 24), 1 + Math.floor(random() * 24)];
    const share = random();
    const pixels = Uint8Array.from({ length: width * height }, () => (random() < share ? 1 : 0));
    const runs = encodePixels(pixels, width, height);
    const rings = traceRings(pixels, width, height);
    expect(fillRings(rings, width, height)).toEqual(runs);
    expect(fillRings([joinRings(rings)], width, height)).toEqual(runs);
  }
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
  const filled = decodeRuns(fillRings([outline, hole], 8, 5), 8, 5);
  expect(filled).toEqual(draw("........", "######..", "#..###..", "#..###..", "######.."));
  expect(measureRuns(fillRings([joinRings(orientRings(outline, [hole]))], 8, 5))).toBe(20);
  expect(fillRings([[]], 3, 2)).toEqual([6]);
});
