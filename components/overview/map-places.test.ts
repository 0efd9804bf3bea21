import { describe, expect, test } from "vitest";
import { placeNames, spreadPlaces } from "./map-places";

const distance = (a: { x: number; y: number }, b: { x: number; y: number }) => Math.hypot(a.x - b.x, a.y - b.y);

describe("devices on the map", () => {
  test("stay where they are when nothing is near them", () => {
    const items = [
      { x: 10, y: 10 },
      { x: 100, y: 10 },
    ];
    expect(spreadPlaces(items)).toEqual(items.map((item) => ({ ...item, anchor: null })));
  });

  test("at the same place are fanned out until none lies on another, however many there are", () => {
    const spread = spreadPlaces(Array.from({ length: 40 }, () => ({ x: 200, y: 100 })));
    expect(spread).toHaveLength(40);
    for (const [at, one] of spread.entries()) {
      expect(one.anchor).toEqual({ x: 200, y: 100 });
      for (const other of spread.slice(at + 1)) expect(distance(one, other)).toBeGreaterThan(12);
    }
  });

  test("have their names beside them, to the left at the right edge, and none where there is no room", () => {
    const items = [
      { x: 50, y: 50, name: "arm-01" },
      { x: 290, y: 100, name: "arm-02" },
      { x: 50, y: 56, name: "arm-03" },
    ];
    expect(placeNames(items, { width: 300, height: 200 })).toEqual(["right", "left", "left"]);
    expect(placeNames([{ x: 5, y: 50, name: "x".repeat(90) }], { width: 300, height: 200 })).toEqual([null]);
  });
});
