import { expect, test } from "vitest";
import { subtractLines } from "@/engine/signals/difference";
import { moveLine, readLine } from "@/engine/signals/line";

const rising = { times: [0, 1, 2, 3], values: [0, 10, 20, 30] };

test("a line is read between its values, and not beyond its ends or in its holes", () => {
  const broken = { times: [0, 1, 1.5, 2, 3], values: [0, 10, null, 20, 30] };
  expect([...readLine(broken, [-1, 0, 0.5, 1, 1.2, 1.5, 1.7, 2, 2.5, 3, 4])]).toEqual([
    NaN,
    0,
    5,
    10,
    NaN,
    NaN,
    NaN,
    20,
    25,
    30,
    NaN,
  ]);
});

test("a difference is that of the second to the first at the times of both, where both are known", () => {
  const flat = { times: [0.5, 1.5, 2, 2.5], values: [1, 1, null, 1] };
  expect(subtractLines(rising, flat)).toEqual({
    times: [0, 0.5, 1, 1.5, 2, 2.5, 3],
    values: [null, -4, -9, -14, null, -24, null],
  });
});

test("a line that is moved differs by what it rises meanwhile", () => {
  expect(subtractLines(rising, moveLine(rising, 1)).values).toEqual([null, -10, -10, -10, null]);
});
