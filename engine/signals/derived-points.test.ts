import { describe, expect, test } from "vitest";
import { derivedPoints } from "@/engine/signals/derived-points";
import { Clock } from "@/engine/signals/expression-clock";

const begin = 1_770_000_000_000_000_000n;
const make = (rows: readonly (readonly [number, number])[], hold = 5) => ({
  clock: new Clock(
    Float64Array.from(rows, ([time]) => time),
    hold,
  ),
  values: Float64Array.from(rows, ([, value]) => value),
});

describe("the points of a derived value", () => {
  test("are its samples within the window, broken where it was not known", () => {
    const samples = make([
      [0, 9],
      [1, 1],
      [2, 2],
      [3, NaN],
      [4, 4],
      [5, Infinity],
      [6, 6],
      [7, 7],
      [20, 8],
      [21, 9],
      [30, 1],
    ]);
    const { points, breaks } = derivedPoints(samples, begin, { from: begin + 1n, to: begin + 21n, points: 100 });
    expect(points.map(([time, , , , last]) => [Number(time - begin), last])).toEqual([
      [1, 1],
      [2, 2],
      [4, 4],
      [6, 6],
      [7, 7],
      [20, 8],
      [21, 9],
    ]);
    expect(breaks).toEqual([2, 3, 5]);
  });

  test("of many samples are the lowest and highest of each interval", () => {
    const rows = Array.from({ length: 1_000 }, (_, at): [number, number] => [at, at === 500 ? 99 : at % 2]);
    const { points, breaks } = derivedPoints(make(rows), begin, { from: begin, to: begin + 999n, points: 10 });
    expect(points).toHaveLength(10);
    expect(points.map(([, min, max, , , count]) => [min, max, count])).toEqual(
      Array.from({ length: 10 }, (_, at) => [0, at === 5 ? 99 : 1, 100]),
    );
    expect(breaks).toEqual([]);
  });
});
