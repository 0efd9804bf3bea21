import { expect, test } from "vitest";
import { listCorners, stepRotation, toRotation } from "@/domain/annotations/rotated-box";

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

test("angles are held from 0 to below 360, also in steps", () => {
  expect([-90, 360, 725, -1e-16].map((degrees) => toRotation(degrees))).toEqual([270, 0, 5, 0]);
  expect([7, 8, 352, 353, -8].map((degrees) => toRotation(degrees, true))).toEqual([0, 15, 345, 0, 345]);
  expect([stepRotation(359.5, 1, false), stepRotation(0, -1, false)]).toEqual([0.5, 359]);
  expect([stepRotation(15, 1, true), stepRotation(16, 1, true), stepRotation(15, -1, true)]).toEqual([30, 30, 0]);
  expect([stepRotation(16, -1, true), stepRotation(0, -1, true), stepRotation(350, 1, true)]).toEqual([15, 345, 0]);
});
