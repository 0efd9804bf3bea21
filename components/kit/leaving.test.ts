import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { isLeaving, leave } from "./leaving";

const open = (pathname: string) => vi.stubGlobal("location", { pathname });
beforeEach(() => {
  vi.useFakeTimers();
  open("/sql");
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("says that somebody leaves from when they set out until writes that waited have come", () => {
  expect(isLeaving()).toBe(false);
  leave(() => {});
  vi.advanceTimersByTime(1_200);
  expect(isLeaving()).toBe(true);
  // They stayed.
  vi.advanceTimersByTime(200);
  expect(isLeaving()).toBe(false);
});

it("says so no more once the other page is there", () => {
  leave(() => {});
  open("/overview");
  expect(isLeaving()).toBe(false);
});
