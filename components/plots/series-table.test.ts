import { expect, test } from "vitest";
import { joinReadings } from "./series-table";

test("readings joined to one row keep the spike, and count every sample", () => {
  const reading = (at: number, value: number) => ({ at, min: value, max: value, last: value, count: 1 });
  expect(joinReadings([reading(0, 20), reading(0.5, 91), reading(1, 19), reading(1.5, 21)])).toEqual([
    { at: 0, min: 19, max: 91, last: 21, count: 4 },
  ]);
  expect(joinReadings([])).toEqual([]);
});
