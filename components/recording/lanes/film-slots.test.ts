import { expect, test } from "vitest";
import { laySlots } from "./film-slots";

const times = Array.from({ length: 120 }, (_, n) => n);

test("each slot shows the last picture before its middle", () => {
  const slots = laySlots(times, { from: 0, to: 120 }, 600, 60);
  expect(slots).toHaveLength(10);
  expect(slots.slice(0, 2)).toEqual([
    { x: 0, index: 6 },
    { x: 60, index: 18 },
  ]);
});

test("pictures stay at their moments while the lane is moved", () => {
  const [before, after] = [0, 5].map((from) => laySlots(times, { from, to: from + 60 }, 600, 60));
  const indexes = new Set(before!.map(({ index }) => index));
  expect(after!.filter(({ index }) => indexes.has(index)).length).toBeGreaterThanOrEqual(9);
});

test("a slot far from any picture is empty, and one picture is shown once", () => {
  const slots = laySlots([0, 1, 2, 100, 101], { from: 0, to: 120 }, 600, 60);
  expect(slots.map(({ index }) => index)).toContain(2);
  expect(laySlots([50], { from: 0, to: 120 }, 600, 60)).toEqual([{ x: 240, index: 0 }]);
  expect(laySlots([], { from: 0, to: 120 }, 600, 60)).toEqual([]);
});
