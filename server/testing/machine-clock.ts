import { vi } from "vitest";

/** Steps the wall clock of this process, which then stands still; the monotonic clock and timers go on. */
export function setMachineAhead(ms: number): void {
  vi.useRealTimers();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
}
