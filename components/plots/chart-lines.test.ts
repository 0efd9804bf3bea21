import { expect, test } from "vitest";
import { findPoint, toIndexLine, toPathLine } from "./chart-lines";
import { equalise, findScale, includeNear, listTicks } from "./chart-scale";
import type { SeriesData } from "./series-columns";

const origin = 1_770_000_000_000_000_000n;
type Point = [at: number, value: number, count?: number];
const series = (points: readonly Point[]): SeriesData => ({
  topic: "/a",
  field: "b",
  kind: "number",
  level: "raw",
  from: String(origin),
  to: String(origin),
  points: points.map(([at, value, count = 1]) => [
    String(origin + BigInt(Math.round(at * 1e9))),
    value - (count > 1 ? 1 : 0),
    value + (count > 1 ? 1 : 0),
    value,
    value,
    count,
  ]),
});
const all = { from: 0, to: 1_000 };

test("a path takes the last value of x that holds at each sample of y, and breaks where none does", () => {
  const x = series([0, 1, 2, 3, 4, 20].map((at): Point => [at, at * 10]));
  const y = series([0.5, 1.5, 2.5, 3.5, 4.5, 12, 20.5].map((at): Point => [at, -at]));
  const line = toPathLine(x, y, origin, all);
  expect(line.x).toEqual([0, 10, 20, 30, 40, 40, 200]);
  // At 12 s the value of 4 s is older than five periods.
  expect(line.y).toEqual([-0.5, -1.5, -2.5, -3.5, -4.5, null, -20.5]);
  expect(toPathLine(x, y, origin, { from: 2, to: 4 }).x).toEqual([20, 30]);
});

test("a path breaks where no sample of y came for long", () => {
  const x = series(Array.from({ length: 30 }, (_, at): Point => [at, at]));
  const y = series([0, 1, 2, 3, 20, 21].map((at): Point => [at, at]));
  expect(toPathLine(x, y, origin, all).y).toEqual([0, 1, 2, 3, null, 20, 21]);
});

test("over their number, points that stand for several samples lie as far apart as these", () => {
  const line = toIndexLine(
    series([
      [0, 5, 3],
      [3, 6, 2],
      [5, 7],
    ]),
    origin,
    all,
  );
  expect(line).toEqual({ at: [0, 3, 5], x: [0, 3, 5], low: [4, 5, 7], high: [6, 7, 7], y: [5, 6, 7] });
});

test("the point of a moment is the last one before it that is no break", () => {
  const line = { at: [1, 2, 3, 4], x: [1, 2, 3, 4], low: [], high: [], y: [10, 20, null, 40] };
  expect([0, 1, 2.5, 3.5, 9].map((at) => findPoint(line, at))).toEqual([-1, 0, 1, 1, 3]);
});

test("scales hold all values, and take as many pixels for a unit once they are equal", () => {
  const line = { at: [0, 1], x: [0, 10], low: [-1, -2], high: [1, 2], y: [0, 0] };
  const [x, y] = [findScale([line], "x"), findScale([line], "y")];
  expect([x.min <= 0, x.max >= 10, y.min <= -2, y.max >= 2]).toEqual([true, true, true, true]);
  expect(findScale([line], "y", { from: 0, to: 5 }).max).toBeLessThan(2);
  const [wide, high] = equalise(x, y, 400, 100);
  expect((wide.max - wide.min) / 400).toBeCloseTo((high.max - high.min) / 100);
  expect(wide.min <= x.min && high.min <= y.min).toBe(true);
  expect(findScale([], "y")).toEqual({ min: 0, max: 1 });
});

test("ticks are round and not too many", () => {
  expect(listTicks({ min: -0.05, max: 1.02 }, 6)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
  expect(listTicks({ min: 3, max: 3 }, 6)).toEqual([]);
});

test("a scale takes in thresholds that are close to it", () => {
  expect(includeNear({ min: 0, max: 10 }, [5])).toEqual({ min: 0, max: 10 });
  expect(includeNear({ min: 0, max: 10 }, [20, 1_000])).toEqual({ min: 0, max: 21.2 });
  expect(includeNear({ min: 0, max: 10 }, [-10])).toEqual({ min: -11.2, max: 10 });
});
