import { describe, expect, test } from "vitest";
import {
  describeState,
  toNumberBands,
  toStateBands,
  toColumns,
  formatTicks,
  formatValue,
  lastAt,
  type SeriesData,
} from "./series-columns";

const series = (over: Partial<SeriesData>): SeriesData => ({
  topic: "/t",
  field: "x",
  kind: "number",
  level: 0,
  from: "0",
  to: "10000000000",
  points: [],
  ...over,
});
const at = (seconds: number): string => String(seconds * 1_000_000_000);

describe("the columns of a plot", () => {
  test("a spike of one sample is in the band", () => {
    const [, low, high] = toColumns(
      series({
        points: [
          [at(1), 0, 99, 1, 2, 50],
          [at(2), 1, 2, 1, 2, 50],
        ],
      }),
      0n,
    );
    expect([low, high]).toEqual([
      [0, 1],
      [99, 2],
    ]);
  });
  test("the line breaks where no data came for long, and only there", () => {
    const seconds = [0, 1, 2, 3, 30, 31];
    const [times, , , line] = toColumns(series({ points: seconds.map((each) => [at(each), 1, 1, 1, 1, 1]) }), 0n);
    expect(line.filter((value) => value === null)).toHaveLength(1);
    expect(times[4]).toBeCloseTo(16.5, 9);
  });
  test("a state lasts until the next one, the last until the end of the requested range", () => {
    const bands = toStateBands(
      series({
        kind: "state",
        states: [
          [at(1), "idle", 0],
          [at(4), true, 2],
        ],
      }),
      0n,
    );
    expect(bands).toEqual([
      { from: 1, to: 4, value: "idle", merged: 0 },
      { from: 4, to: 10, value: "true", merged: 2 },
    ]);
  });
  test("a number that stands for states is one band for each run of a value; other numbers are none", () => {
    const points: SeriesData["points"] = [
      [at(1), 2, 2, 2, 2, 10],
      [at(2), 2, 2, 2, 2, 10],
      [at(4), 2, 5, 2, 5, 10],
      [at(6), 5, 5, 5, 5, 10],
      [at(7), 2, 5, 5, 5, 10],
      [at(8), 0, 7, 0, 7, 10],
      [at(9), 1, 9, 7, 8, 10],
    ];
    expect(toNumberBands(series({ points }), 0n)).toEqual([
      { from: 1, to: 4, value: "2", merged: 0 },
      { from: 4, to: 8, value: "5", merged: 1 },
      { from: 8, to: 9, value: "7", merged: 1 },
      { from: 9, to: 10, value: "8", merged: 1 },
    ]);
    expect(toNumberBands(series({}), 0n)).toEqual([]);
    const gain = Math.fround(0.95);
    const fractions = series({ points: [[at(1), gain, gain, gain, gain, 1]] });
    expect(toNumberBands(fractions, 0n)).toBeNull();
    expect(toNumberBands(fractions, 0n, true)).toMatchObject([{ from: 1, value: "0.95" }]);
  });
  test("a band says its value, and how often it changed too shortly to be drawn", () => {
    const describe = (value: string, merged: number) => describeState({ from: 0, to: 1, value, merged });
    expect(describe("0", 0)).toBe("0");
    expect(describe("0", 1)).toBe("0 (1 short change)");
    expect(describe("", 1_200)).toBe("(empty) (1,200 short changes)");
  });
  test("the value at a moment is the last that began", () => {
    expect(lastAt([1, 3, 5], 4, (each) => each)).toBe(3);
    expect(lastAt([1, 3, 5], 0.5, (each) => each)).toBeUndefined();
  });
  test("numbers keep the digits that distinguish neighbours", () => {
    expect(["81.25", "−0.00123", "1234.6", "1.000e+9"]).toEqual([81.25, -0.00123, 1234.56, 1e9].map(formatValue));
  });
  test("numbers of an axis say exactly where its marks are", () => {
    expect(formatTicks([0.495, 0.4975, 0.5, 0.5025])).toEqual(["0.495", "0.4975", "0.5", "0.5025"]);
    expect(formatTicks([1234.25, 1234.3, 1234.35])).toEqual(["1234.25", "1234.3", "1234.35"]);
    expect(formatTicks([-0.2, -0.1, 0, 0.1 + 0.2])).toEqual(["−0.2", "−0.1", "0", "0.3"]);
    expect(formatTicks([0, 2e7])).toEqual(["0", "2.000e+7"]);
    expect(formatTicks([5])).toEqual(["5"]);
  });
});
