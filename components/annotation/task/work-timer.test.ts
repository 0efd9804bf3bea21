import { expect, test } from "vitest";
import { WorkTimer } from "./work-timer";

test("only seconds soon after an input are work, and each is reported once", () => {
  const timer = new WorkTimer();
  timer.tick(0);
  expect(timer.isActive(0)).toBe(false);
  timer.noteInput(0);
  for (let second = 1; second <= 200; second++) timer.tick(second * 1_000);
  expect(timer.seconds).toBe(60);
  expect(timer.isActive(200_000)).toBe(true);
  expect(timer.isActive(301_000)).toBe(false);
  const first = timer.take();
  expect(first.seconds).toBe(60);
  // A request that failed reports them with the next one.
  expect(timer.take().seconds).toBe(60);
  first.confirm();
  expect(timer.take().seconds).toBe(0);
});
