import { expect, test } from "vitest";
import { findRows } from "./row-window";

const sizes = [20, 20, 50, 20, 20, 20, 20, 20];
const indices = (from: number, to: number, around = 0): number[] =>
  findRows(sizes, from, to, around).rows.map(({ index }) => index);

test("rows in view are found by their heights, with some around them", () => {
  expect(findRows(sizes, 0, 40, 0)).toEqual({
    total: 190,
    rows: [
      { index: 0, start: 0, size: 20 },
      { index: 1, start: 20, size: 20 },
    ],
  });
  expect(indices(39, 91)).toEqual([1, 2, 3]);
  expect(indices(40, 90)).toEqual([2]);
  expect(indices(100, 120, 1)).toEqual([2, 3, 4, 5]);
  expect(indices(0, 500)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test("beyond the last row the last ones are in view, and of none there are none", () => {
  expect(indices(1_000, 1_100, 1)).toEqual([6, 7]);
  expect(findRows([], 0, 100, 6)).toEqual({ total: 0, rows: [] });
});
