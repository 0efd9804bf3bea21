import { expect, test } from "vitest";
import { chooseSide, cover } from "./drop-place";

const box = { left: 100, top: 50, width: 400, height: 200 };

test.each([
  [110, 150, "left"],
  [490, 150, "right"],
  [300, 60, "up"],
  [300, 240, "down"],
  [300, 150, "inside"],
  // At a corner the nearer edge counts, as a part of the panel's width and height.
  [120, 70, "left"],
  [160, 60, "up"],
] as const)("the point %i, %i of a panel means %s", (x, y, side) => {
  expect(chooseSide(box, x, y)).toBe(side);
});

test("a panel covers half of another at its sides, and all of it as a tab", () => {
  expect(cover(box, "right")).toEqual({ left: 300, top: 50, width: 200, height: 200 });
  expect(cover(box, "down")).toEqual({ left: 100, top: 150, width: 400, height: 100 });
  expect(cover(box, "left", 0.25)).toEqual({ left: 100, top: 50, width: 100, height: 200 });
  expect(cover(box, "up")).toEqual({ left: 100, top: 50, width: 400, height: 100 });
  expect(cover(box, "inside")).toEqual(box);
});
