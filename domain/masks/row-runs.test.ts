import { expect, test } from "vitest";
import { decodeBrush, encodeBrush } from "./brush-runs";
import { measureEdges, toColumnRuns, toRowRuns } from "./row-runs";
import { boundRuns, cropRuns, encodePixels } from "./run-lengths";

/** Numbers from 0 to 1 that are the same in every run. */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const unlimited = 1e9;

/** Runs of pixels that lie row by row, the first outside the mask. */
function encodeRows(pixels: Uint8Array): number[] {
  const runs = [0];
  let isInside = false;
  for (const pixel of pixels) {
    if ((pixel !== 0) !== isInside) runs.push(0);
    isInside = pixel !== 0;
    runs.push((runs.pop() ?? 0) + 1);
  }
  return runs;
}

/** Where the pixels of a box lie in a picture around it. */
function place(pixels: Uint8Array, x: number, y: number, width: number, picture: { width: number; height: number }) {
  const placed = new Uint8Array(picture.width * picture.height);
  for (const [at, pixel] of pixels.entries())
    placed[(y + Math.floor(at / width)) * picture.width + x + (at % width)] = pixel;
  return placed;
}

test("runs along rows of 300 random masks are those down their columns, wherever their box lies", () => {
  const random = makeRandom(11);
  for (let round = 0; round < 300; round += 1) {
    const [width, height] = [1 + Math.floor(random() * 30), 1 + Math.floor(random() * 30)];
    const share = random();
    const pixels = Uint8Array.from({ length: width * height }, () => (random() < share ? 1 : 0));
    const rows = encodeRows(pixels);
    const expected = cropRuns(encodePixels(pixels, width, height), height);
    expect(toColumnRuns(rows, { x: 0, y: 0, width, height }, unlimited)).toEqual(expected ?? "empty");
    const moved = toColumnRuns(rows, { x: 7, y: 3, width, height }, unlimited);
    if (expected && typeof moved === "object")
      expect(moved).toEqual({ ...expected, box: { ...expected.box, x: expected.box.x + 7, y: expected.box.y + 3 } });
    expect(decodeBrush(encodeBrush(rows), width * height)).toEqual(rows);
    const columns = encodePixels(pixels, width, height);
    expect(toRowRuns(columns, { x: 0, y: 0, width, height }, { width, height })).toEqual(rows);
    const picture = { width: width + 9, height: height + 5 };
    const around = encodeRows(place(pixels, 7, 3, width, picture));
    expect(toRowRuns(columns, { x: 7, y: 3, width, height }, picture)).toEqual(around);
    expect(boundRuns(columns, height)).toEqual(expected?.box ?? null);
  }
});

test("a mask over the whole of a large picture is turned without a look at its pixels", () => {
  const picture = { width: 10_000, height: 8_000 };
  const whole = { x: 0, y: 0, ...picture };
  expect(toRowRuns([0, 80_000_000], whole, picture)).toEqual([0, 80_000_000]);
  expect(boundRuns([0, 80_000_000], picture.height)).toEqual(whole);
  expect(boundRuns([7_999, 2], picture.height)).toEqual({ x: 0, y: 0, width: 2, height: 8_000 });
  expect(boundRuns([80_000_000], picture.height)).toBeNull();
});

test("the edges of a mask along its columns are measured no further than is asked for", () => {
  expect(measureEdges([0, 6], 3, unlimited)).toEqual({ length: 6, corners: 4 });
  expect(measureEdges([1, 1, 1, 3], 3, unlimited)).toEqual({ length: 6, corners: 8 });
  const stripes = Array.from({ length: 1_000 }, () => 1_000);
  expect(measureEdges(stripes, 1_000, unlimited).length).toBe(1_000_000);
  expect(measureEdges(stripes, 1_000, 5_000).length).toBe(5_000);
});

test("a few runs along rows that are very many down columns are refused before they are made", () => {
  const rows = [0, ...Array.from({ length: 1_000 }, () => 100_000)];
  expect(toColumnRuns(rows, { x: 0, y: 0, width: 100_000, height: 1_000 }, 2 ** 20)).toBe("detailed");
});

/** Bits as text to bytes, as another program may write them: values one by one, lengths of other sizes. */
const pack = (...sets: readonly [value: number, bits: number][]): number[] => {
  const bits = sets.map(([value, width]) => value.toString(2).padStart(width, "0")).join("");
  return (bits.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt(byte.padEnd(8, "0"), 2));
};

test("bytes of a brush that hold values one by one are read too; a pixel is in the mask if it is rather opaque", () => {
  const head = [[12, 32], [7, 5], ...[2, 3, 7, 15].map((bits) => [bits, 4])] as [number, number][];
  const pixel = (alpha: number): [number, number][] => [
    [255, 8],
    [0, 8],
    [255, 8],
    [alpha, 8],
  ];
  const values: [number, number][] = [[0, 1], [1, 2], [7, 4], ...pixel(127), ...pixel(128)];
  const run: [number, number][] = [
    [1, 1],
    [0, 2],
    [3, 3],
    [255, 8],
  ];
  expect(decodeBrush(pack(...head, ...values, ...run), 3)).toEqual([1, 2]);
  expect(decodeBrush(pack(...head, ...values, ...run), 4)).toBeNull();
  expect(decodeBrush(pack(...head, ...values), 3)).toBeNull();
  expect(decodeBrush(pack(...head, ...values, ...values), 3)).toBeNull();
  expect(decodeBrush([], 0)).toBeNull();
});
