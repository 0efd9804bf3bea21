import { describe, expect, test } from "vitest";
import { axisWidth, formatCount } from "./axis-width";

describe("the axis of alerts over time", () => {
  test("is wide enough for its largest label, also for that of the next round number", () => {
    for (const [count, label] of [
      [5, "6"],
      [980, "1,200"],
      [9_412, "12,000"],
      [99_000, "120,000"],
    ] as const)
      expect(axisWidth([0, count, 3])).toBeGreaterThanOrEqual(label.length * 7);
    expect(formatCount(1_500)).toBe("1,500");
  });

  test("takes no room for digits that no label has", () => {
    expect(axisWidth([0, 3])).toBe(24);
  });
});
