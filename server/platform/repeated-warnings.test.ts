import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { graphileLogger } from "@/server/platform/jobs/graphile-log";
import type { Log } from "@/server/platform/log";
import { warnRepeated } from "@/server/platform/repeated-warnings";

let lines: [fields: object, text: string][];
const log = {
  warn: (fields: object, text: string) => void lines.push([fields, text]),
  debug: () => {},
} as unknown as Log;

beforeEach(() => {
  lines = [];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.advanceTimersByTime(120_000); // so that no warning of a test counts as known in the next
  vi.useRealTimers();
});

test("a warning that repeats is one line at once, then one a minute with how many came and the last fields", () => {
  for (let n = 0; n < 100; n++) warnRepeated(log, { n }, "could not enqueue a sweep");
  expect(lines).toEqual([[{ n: 0 }, "could not enqueue a sweep"]]);
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(1)).toEqual([[{ n: 99, count: 99, seconds: 60 }, "could not enqueue a sweep"]]);
  warnRepeated(log, { n: 100 }, "could not enqueue a sweep");
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(2)).toEqual([[{ n: 100, count: 1, seconds: 60 }, "could not enqueue a sweep"]]);
});

test("a warning that comes back after a minute without it is shown at once again", () => {
  warnRepeated(log, {}, "the bucket is away");
  vi.advanceTimersByTime(60_000);
  warnRepeated(log, {}, "the bucket is away");
  expect(lines).toHaveLength(2);
});

test("the line of a minute is the last of its warnings, also where they have other words", () => {
  warnRepeated(log, { n: 1 }, "connection 17 ended", "connection ended");
  warnRepeated(log, { n: 2 }, "connection 18 ended", "connection ended");
  vi.advanceTimersByTime(60_000);
  expect(lines).toEqual([
    [{ n: 1 }, "connection 17 ended"],
    [{ n: 2, count: 1, seconds: 60 }, "connection 18 ended"],
  ]);
});

test("other warnings are not held back", () => {
  for (const text of ["a", "b", "a"]) warnRepeated(log, {}, text);
  expect(lines.map(([, text]) => text)).toEqual(["a", "b"]);
});

test("of the job queue's own warnings those that differ by a number or an id count as the same", () => {
  const queueLog = graphileLogger(log);
  queueLog.warn("Error occurred when trying to UNLISTEN on connection 17: Connection terminated");
  queueLog.warn("Error occurred when trying to UNLISTEN on connection 18: Connection terminated");
  queueLog.warn("Worker worker-0a1b2c3d4e5f60718a exited");
  queueLog.warn("Worker worker-ffffffffffffffffff exited");
  expect(lines.map(([, text]) => text)).toEqual([
    "Error occurred when trying to UNLISTEN on connection 17: Connection terminated",
    "Worker worker-0a1b2c3d4e5f60718a exited",
  ]);
});
