import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { TimeSlicer } from "@/engine/time-slicer";

test("a slice begins once the work before it gave way, for a time that is counted", async () => {
  const steps: string[] = [];
  const slicer = new TimeSlicer(undefined, async () => {
    const began = performance.now();
    while (performance.now() === began) await nextTurn();
    steps.push("gave way");
  });
  await slicer.yield();
  steps.push("went on");
  expect(steps).toEqual(["gave way", "went on"]);
  expect(slicer.waitedMs).toBeGreaterThan(0);
});

test("work that is aborted while it gives way does not go on", async () => {
  const stop = new AbortController();
  const slicer = new TimeSlicer(stop.signal, () => Promise.resolve(stop.abort(new Error("stopped"))));
  await expect(slicer.yield()).rejects.toThrow("stopped");
});
