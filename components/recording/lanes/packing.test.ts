import { expect, test } from "vitest";
import { packRows } from "./packing";

const extent = (item: [number, number]) => ({ from: item[0], to: item[1] });

test("items that do not overlap share the first row", () => {
  const { placed, overflow } = packRows<[number, number]>(
    [
      [0, 10],
      [20, 30],
      [40, 50],
    ],
    extent,
  );
  expect(placed.map(({ row }) => row)).toEqual([0, 0, 0]);
  expect(overflow).toEqual([]);
});

test("what overlaps goes to the next rows, and beyond three it is counted together", () => {
  const items: [number, number][] = Array.from({ length: 15 }, () => [5, 15]);
  const { placed, overflow } = packRows(items, extent);
  expect(placed.map(({ row }) => row)).toEqual([0, 1, 2]);
  expect(overflow.map((group) => group.items.length)).toEqual([12]);
});

test("counts that lie apart stay apart", () => {
  const items: [number, number][] = [0, 0, 0, 0, 200, 200, 200, 200, 200].map((at) => [at, at + 10]);
  expect(packRows(items, extent).overflow.map((group) => group.items.length)).toEqual([1, 2]);
});
