import fc from "fast-check";
import { expect, test } from "vitest";
import { coverCells, isCovered } from "./lasso-cells";

test("a lasso covers exactly the cells that it touches", () => {
  const pixel = fc.integer({ min: -50, max: 900 });
  const columns = { start: 24, length: 100.5, step: 108.5, count: 6 };
  const rows = { start: 8, length: 91, step: 99, count: 7 };
  fc.assert(
    fc.property(pixel, pixel, pixel, pixel, (x, toX, y, toY) => {
      const lasso = {
        left: Math.min(x, toX),
        right: Math.max(x, toX),
        top: Math.min(y, toY),
        bottom: Math.max(y, toY),
      };
      const touches = (from: number, to: number, { start, length, step }: typeof rows, at: number) =>
        start + at * step < to && start + at * step + length > from;
      const expected = Array.from({ length: 42 }, (_, index) => index).filter(
        (index) =>
          touches(lasso.top, lasso.bottom, rows, Math.floor(index / 6)) &&
          touches(lasso.left, lasso.right, columns, index % 6),
      );
      const cells = coverCells(lasso, rows, columns);
      const covered = Array.from({ length: 42 }, (_, index) => index).filter(
        (index) => cells !== null && isCovered(cells, index, 6),
      );
      // A lasso without extent touches nothing, or the cell that it is in.
      if (lasso.left < lasso.right && lasso.top < lasso.bottom) expect(covered).toEqual(expected);
    }),
  );
});
