import { expect, test } from "vitest";
import { smoothed } from "./density-heat";

test("a regular topic is one even shade", () => {
  const { values, peak } = smoothed(Array.from({ length: 2_000 }, (_, at) => (at % 2 === 0 ? 1 : 2)));
  for (const value of values) expect(value / peak).toBeGreaterThan(0.85);
});

test("a long silence stays empty", () => {
  const { values } = smoothed(Array.from({ length: 2_000 }, (_, at) => (at > 500 && at < 1_000 ? 0 : 2)));
  expect(values[750]).toBe(0);
});
