import { describe, expect, test } from "vitest";
import { findFreePlace } from "./label-place";
import type { Columns } from "./series-columns";

const toPixel = { x: (at: number) => at, y: (value: number) => 100 - value };
const plot = { left: 0, width: 600 };
/** A label of 40 px above the line at value 50. */
const box = { width: 40, top: 36, height: 12 };
const curve = (value: (at: number) => number): Columns => {
  const times = Array.from({ length: 61 }, (_, at) => at * 10);
  const values = times.map(value);
  return [times, values, values, values];
};

describe("the label of a threshold", () => {
  test("stands at the right end where the curve is elsewhere", () => {
    expect(
      findFreePlace(
        box,
        plot,
        curve(() => 10),
        toPixel,
      ),
    ).toBe(540);
  });

  test("moves left of a curve that runs along the line at the right end", () => {
    const left = findFreePlace(
      box,
      plot,
      curve((at) => (at > 300 ? 58 : 10)),
      toPixel,
    );
    expect(left).toBeLessThan(260);
    expect(left).toBeGreaterThan(150);
  });

  test("does not stand in the way of a curve that crosses its height between two points", () => {
    const left = findFreePlace(
      box,
      plot,
      curve((at) => (at >= 560 ? 90 : 10)),
      toPixel,
    );
    expect(left + 60).toBeLessThan(560);
  });

  test("stands where the curve touches it least when there is no free place", () => {
    const left = findFreePlace(
      box,
      plot,
      curve((at) => (at < 100 && at % 20 === 0 ? 10 : 58)),
      toPixel,
    );
    expect(left).toBeGreaterThanOrEqual(0);
    expect(left).toBeLessThanOrEqual(540);
  });
});
