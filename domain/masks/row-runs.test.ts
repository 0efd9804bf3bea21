import { expect, test } from "vitest";
import { decodeBrush, encodeBrush } from "./brush-runs";
import { encodeRows, toColumnRuns } from "./row-runs";
import { cropRuns, encodePixels } from "./run-lengths";

/** Numbers from 0 to 1 that are the same in every run. */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const unlimited = 1e9;

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
  }
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
