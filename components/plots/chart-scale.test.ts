import { describe, expect, test } from "vitest";
import { findRoom, listTicks } from "./chart-scale";
import { formatTicks } from "./series-columns";

/** The marks of an axis around values. */
function label(min: number, max: number): string[] {
  const room = findRoom(min, max, 0.06);
  return formatTicks(listTicks({ min: min - room, max: max + room }, 4));
}

describe("the range of an axis", () => {
  test.each([
    ["a latitude along a street", 52, 52.001],
    ["a longitude with many digits", -122.4194, -122.4184],
    ["the pressure of the air", 101_290, 101_340],
    ["a voltage", 23.9, 24.1],
  ])("of %s shows its change", (_name, min, max) => {
    expect(findRoom(min, max, 0.06)).toBeLessThan((max - min) * 3);
    const labels = label(min, max);
    expect(new Set(labels).size).toBe(labels.length);
    // What lies left of a plot has room for so many.
    for (const each of labels) expect(each.length).toBeLessThanOrEqual(9);
  });

  test.each([
    ["noise of the last bit", 24, 24 + 1e-14],
    ["zero", 0, 0],
    ["a time in seconds", 1_770_000_000, 1_770_000_060],
  ])("of %s has labels that differ", (_name, min, max) => {
    const labels = label(min, max);
    expect(labels.length).toBeGreaterThan(1);
    expect(new Set(labels).size).toBe(labels.length);
  });
});
