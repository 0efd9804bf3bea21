import { expect, test } from "vitest";
import type { SeriesData } from "@/components/plots/series-columns";
import { describeMoment } from "./pair-readout";
import { toLines } from "./series-lines";

const origin = 1_000_000_000n;

/** Points one second apart, of a least and a greatest value each; null for a hole. */
const series = (ranges: readonly (readonly [number, number] | null)[]): SeriesData => ({
  topic: "/motor",
  field: "value",
  kind: "number",
  level: 0,
  from: "0",
  to: "0",
  points: ranges.flatMap((range, at) =>
    range === null ? [] : [[String(origin + BigInt(at) * 1_000_000_000n), ...range, range[0], range[1], 2]],
  ),
});

test("points of single values are one line", () => {
  const { line, drawn } = toLines(
    series([
      [1, 1],
      [2, 2],
      [3, 3],
    ]),
    origin,
  );
  expect(line).toEqual({ times: [0, 1, 2], values: [1, 2, 3] });
  expect(drawn).toBe(line);
});

test("points that join values are drawn from the least to the greatest", () => {
  const { line, drawn } = toLines(
    series([
      [1, 5],
      [2, 2],
    ]),
    origin,
  );
  expect(line.values).toEqual([5, 2]);
  expect(drawn).toEqual({ times: [0, 1e-7, 1], values: [1, 5, 2] });
});

test("a hole breaks the line, and has no value", () => {
  const holes = Array.from({ length: 20 }, () => null);
  const { line } = toLines(series([[1, 1], [2, 2], [3, 3], ...holes, [4, 4]]), origin);
  expect(line.values).toEqual([1, 2, 3, null, 4]);
  expect(describeMoment(line, line, 10, "V")).toBe("A no value   B no value   B − A no value");
  expect(describeMoment(line, { times: [0, 9], values: [0, 9] }, 1.5, "V")).toBe("A 2.5 V   B 1.5 V   B − A −1 V");
});
