import { expect, it } from "vitest";
import { ProcessorTime } from "@/server/features/processing/processor-time";

it("is shared by the work that runs at the same time, and counts none between", () => {
  let now = 10;
  const time = new ProcessorTime(() => now);
  const endFirst = time.start();
  now = 13;
  const endSecond = time.start();
  now = 17;
  const first = endFirst();
  now = 18;
  const second = endSecond();
  expect([first, second]).toEqual([5, 3]);
  now = 30;
  const endThird = time.start();
  now = 31;
  expect(endThird()).toBe(1);
});

it("is the time of the process", () => {
  const end = new ProcessorTime().start();
  let sum = 0;
  for (let n = 0; n < 5_000_000; n++) sum += Math.sqrt(n);
  expect(sum).toBeGreaterThan(0);
  expect(end()).toBeGreaterThan(0);
});
