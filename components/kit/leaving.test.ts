import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { leave, unlessLeaving } from "./leaving";

const open = (pathname: string) => vi.stubGlobal("location", { pathname });
beforeEach(() => {
  vi.useFakeTimers();
  open("/sql");
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("drops writes of the address that were waiting when somebody set out for another page", () => {
  const write = vi.fn();
  unlessLeaving(write);
  expect(write).toHaveBeenCalledTimes(1);

  leave(() => {});
  vi.advanceTimersByTime(1_200);
  unlessLeaving(write);
  expect(write).toHaveBeenCalledTimes(1);

  // Later ones come from somebody who stayed.
  vi.advanceTimersByTime(200);
  unlessLeaving(write);
  expect(write).toHaveBeenCalledTimes(2);
});

it("makes those of the page that was opened", () => {
  const write = vi.fn();
  leave(() => {});
  open("/overview");
  unlessLeaving(write);
  expect(write).toHaveBeenCalledTimes(1);
});
