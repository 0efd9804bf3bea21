import { describe, expect, test } from "vitest";
import { findShift } from "@/engine/signals/correlation";
import { moveLine, type Line } from "@/engine/signals/line";

const options = { maxShift: 60 };

/** A curve that does not repeat itself, sampled `hz` times a second. */
const curve = (
  seconds: number,
  hz: number,
  value = (t: number) => Math.sin(t * t * 0.02) + 0.3 * Math.sin(3 * t),
): Line => {
  const times = Array.from({ length: seconds * hz + 1 }, (_, at) => at / hz);
  return { times, values: times.map(value) };
};

describe("the shift that fits best", () => {
  test.each([0, 2.345, -7.1, 19.5])("of %f seconds is found to a few milliseconds", (shift) => {
    const line = curve(60, 20);
    const found = findShift(line, moveLine(line, -shift), options);
    expect(found?.r).toBeGreaterThan(0.99);
    expect(Math.abs((found?.shiftMs ?? 1e6) - shift * 1_000)).toBeLessThan(5);
  });

  test("is found between lines of different rates, scales and offsets, with holes", () => {
    const a = curve(50, 10);
    const b = curve(50, 37);
    const scaled = {
      times: b.times,
      values: Array.from(b.values, (v, at) => (at > 600 && at < 640 ? null : 7 * (v ?? 0) - 40)),
    };
    const found = findShift(a, moveLine(scaled, -1.25), options);
    expect(found?.r).toBeGreaterThan(0.98);
    expect(Math.abs((found?.shiftMs ?? 1e6) - 1_250)).toBeLessThan(20);
  });

  test("is the smallest for a line that repeats itself", () => {
    const line = curve(60, 20, (t) => Math.sin(t));
    expect(Math.abs((findShift(line, moveLine(line, -1), options)?.shiftMs ?? 1e6) - 1_000)).toBeLessThan(5);
  });

  test("is within the limit", () => {
    const line = curve(60, 20);
    const found = findShift(line, moveLine(line, -8), { maxShift: 3 });
    expect(Math.abs(found?.shiftMs ?? 1e6)).toBeLessThanOrEqual(3_000);
    expect(found?.r).toBeLessThan(0.9);
  });

  test("is unknown for a line that does not change, and for lines that are too short", () => {
    const line = curve(60, 20);
    expect(
      findShift(
        line,
        curve(60, 20, () => 5),
        options,
      ),
    ).toBeNull();
    expect(findShift(line, { times: [0, 1], values: [0, 1] }, options)).toBeNull();
    expect(findShift({ times: [], values: [] }, line, options)).toBeNull();
  });
});
