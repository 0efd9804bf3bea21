import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pace } from "./pace";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a paced listener is called at once, then at most once an interval, and after the last call", () => {
  let calls = 0;
  const { call, stop } = pace(() => (calls += 1), 100);
  call();
  expect(calls).toBe(1);
  call();
  call();
  expect(calls).toBe(1);
  vi.advanceTimersByTime(100);
  expect(calls).toBe(2);
  vi.advanceTimersByTime(500);
  expect(calls).toBe(2);
  call();
  expect(calls).toBe(3);
  call();
  stop();
  vi.advanceTimersByTime(500);
  expect(calls).toBe(3);
});
