import { expect, test } from "vitest";
import { listCorners } from "@/domain/annotations/rotated-box";

const rounded = (points: readonly number[][]) =>
  points.map((point) => point.map((value) => Math.round(value * 1e6) / 1e6 + 0));

test("a box that is not turned has the corners of its sides", () => {
  expect(listCorners({ x: 1, y: 2, width: 10, height: 4 })).toEqual([
    [1, 2],
    [11, 2],
    [11, 6],
    [1, 6],
  ]);
});

test("a box turns clockwise about its center, as seen on the picture", () => {
  expect(rounded(listCorners({ x: 0, y: 0, width: 10, height: 4, rotation: 90 }))).toEqual([
    [7, -3],
    [7, 7],
    [3, 7],
    [3, -3],
  ]);
});
