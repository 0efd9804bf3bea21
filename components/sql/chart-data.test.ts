import { describe, expect, it } from "vitest";
import { chartData } from "./chart-data";

const columns = (...of: string[]) =>
  of.map((each) => {
    const [name = "", type = "DOUBLE"] = each.split(":");
    return { name, type };
  });
const ns = (seconds: number) => String(1_767_225_600_000_000_000n + BigInt(seconds) * 1_000_000_000n);
const begin = Date.UTC(2026, 0, 1);

describe("the chart of a result", () => {
  it("draws numbers over the first column of times, in their order", () => {
    const chart = chartData({
      columns: columns("temp", "log_time:BIGINT", "volts:FLOAT"),
      rows: [
        [2, ns(1), 24],
        [1, ns(0), null],
        ["NaN", ns(2), 23],
      ],
    });
    expect(chart).toEqual({
      axis: { name: "log_time", kind: "time" },
      series: [
        { key: "y0", name: "temp" },
        { key: "y1", name: "volts" },
      ],
      points: [
        { x: begin, y0: 1, y1: null },
        { x: begin + 1_000, y0: 2, y1: 24 },
        { x: begin + 2_000, y0: null, y1: 23 },
      ],
      left: [],
    });
  });

  it("reads DuckDB's own times", () => {
    const x = (type: string, value: string) =>
      chartData({ columns: columns(`t:${type}`, "n"), rows: [[value, 1]] })?.points[0]?.x;
    expect(x("DATE", "2026-01-01")).toBe(begin);
    expect(x("TIMESTAMP", "2026-01-01 00:00:01.5")).toBe(begin + 1_500);
    expect(x("TIMESTAMP_NS", "2026-01-01 00:00:01.123456789")).toBe(begin + 1_123);
    expect(x("TIMESTAMP WITH TIME ZONE", "2026-01-01 02:00:00+02")).toBe(begin);
  });

  it("draws numbers over the first numeric column where there is no time", () => {
    const chart = chartData({
      columns: columns("n:INTEGER", "a:DECIMAL(18,3)"),
      rows: [
        [2, "1.5"],
        [1, 3],
      ],
    });
    expect(chart?.axis).toEqual({ name: "n", kind: "number" });
    expect(chart?.points).toEqual([
      { x: 1, y0: 3 },
      { x: 2, y0: 1.5 },
    ]);
  });

  it("draws a single numeric column over names, else over its rows", () => {
    const rows = [["arm", 3]];
    expect(chartData({ columns: columns("device_name:VARCHAR", "m"), rows })).toMatchObject({
      axis: { name: "device_name", kind: "name" },
      points: [{ x: "arm", y0: 3 }],
    });
    expect(chartData({ columns: columns("m"), rows: [[7], [8]] })).toMatchObject({
      axis: { kind: "row" },
      points: [
        { x: 1, y0: 7 },
        { x: 2, y0: 8 },
      ],
    });
  });

  it("draws several numeric columns over names that each row has its own of", () => {
    const query = columns("device_name:VARCHAR", "average", "maximum");
    const rows = [
      ["arm", 3, 5],
      ["drone", 2, null],
    ];
    expect(chartData({ columns: query, rows })).toEqual({
      axis: { name: "device_name", kind: "name" },
      series: [
        { key: "y0", name: "average" },
        { key: "y1", name: "maximum" },
      ],
      points: [
        { x: "arm", y0: 3, y1: 5 },
        { x: "drone", y0: 2, y1: null },
      ],
      left: [],
    });
    const repeated = chartData({ columns: query, rows: [...rows, ["arm", 4, 6]] });
    expect(repeated?.axis).toEqual({ name: "average", kind: "number" });
  });

  it("makes a series of each of a few names", () => {
    const chart = chartData({
      columns: columns("device_name:VARCHAR", "log_time:BIGINT", "temp"),
      rows: [
        ["b", ns(0), 1],
        ["a", ns(1), 2],
      ],
    });
    expect(chart?.series.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(chart?.points).toEqual([
      { x: begin, y1: 1 },
      { x: begin + 1_000, y0: 2 },
    ]);
  });

  it("names the columns that it has no colour for", () => {
    const many = Array.from({ length: 11 }, (_, at) => `c${at}`);
    expect(chartData({ columns: columns(...many), rows: [many.map((_, at) => at)] })?.left).toEqual(["c9", "c10"]);
  });

  it("keeps the spikes of many rows", () => {
    const rows = Array.from({ length: 10_000 }, (_, at) => [at, at === 4_321 ? 99 : at === 8_765 ? -99 : 0]);
    const points = chartData({ columns: columns("n", "v"), rows })?.points ?? [];
    expect(points.length).toBeLessThan(2_100);
    expect(points).toContainEqual({ x: 4_321, y0: 99 });
    expect(points).toContainEqual({ x: 8_765, y0: -99 });
  });

  it("is none where no column is numeric", () => {
    expect(chartData({ columns: columns("a:VARCHAR", "log_time:BIGINT"), rows: [["x", ns(0)]] })).toBeNull();
  });
});
