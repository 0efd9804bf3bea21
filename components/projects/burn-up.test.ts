import { expect, test } from "vitest";
import { toBurnUp, workLeft } from "./burn-up";

test("adds up what was submitted and accepted day by day, from the day before the first until today", () => {
  const days = [
    { day: "2026-02-02", submitted: 3, accepted: 0 },
    { day: "2026-02-04", submitted: 1, accepted: 2 },
  ];
  expect(toBurnUp(days, 10, "2026-02-05")).toEqual([
    { day: "2026-02-01", accepted: 0, submitted: 0, todo: 10 },
    { day: "2026-02-02", accepted: 0, submitted: 3, todo: 7 },
    { day: "2026-02-03", accepted: 0, submitted: 3, todo: 7 },
    { day: "2026-02-04", accepted: 2, submitted: 2, todo: 6 },
    { day: "2026-02-05", accepted: 2, submitted: 2, todo: 6 },
  ]);
  expect(toBurnUp([], 10, "2026-02-05")).toEqual([]);
});

test("years are drawn in few steps that end with the last day", () => {
  const days = [
    { day: "2023-01-01", submitted: 1, accepted: 1 },
    { day: "2026-02-05", submitted: 1, accepted: 0 },
  ];
  const steps = toBurnUp(days, 2, "2026-01-01");
  expect(steps.length).toBeLessThan(130);
  expect(steps.at(-1)).toEqual({ day: "2026-02-05", accepted: 1, submitted: 1, todo: 0 });
});

test("what is left is counted at the median pace", () => {
  expect(workLeft({ p50: 30, p90: 90, timed: 4 }, 120)).toBe(3_600_000);
  expect(workLeft({ p50: null, p90: null, timed: 0 }, 120)).toBeNull();
});
