import { expect, test } from "vitest";
import { GroundGrid } from "./grid-drawing";

test("lines of the ground are in short pieces that reach from end to end", () => {
  const grid = new GroundGrid();
  grid.update(3, -4, 12);
  const { array } = grid.lines.geometry.getAttribute("position");
  const alongX = new Map<number, number[][]>();
  for (let at = 0; at < array.length; at += 6) {
    const [fromX = NaN, fromY = NaN, , toX = NaN, toY = NaN] = array.slice(at, at + 6);
    // A line that ends behind the camera is left out where there is no graphics card.
    expect(Math.hypot(toX - fromX, toY - fromY)).toBe(5);
    if (fromY === toY) alongX.set(fromY, [...(alongX.get(fromY) ?? []), [fromX, toX]]);
  }
  expect([...alongX.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: 101 }, (_, n) => n - 50));
  for (const pieces of alongX.values())
    expect(pieces).toEqual(Array.from({ length: 20 }, (_, n) => [5 * n - 50, 5 * n - 45]));
});
