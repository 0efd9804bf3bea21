import { expect, test } from "vitest";
import { isServiceError } from "@/server/platform/errors";
import { inScope, RequestScope } from "@/server/platform/request-scope";
import { ConcurrencyLimit } from "@/server/transport/rest/concurrency-limit";

/** A limit of two on a clock of its own; `end` ends the oldest request, each `ms` after the last one. */
function limitOfTwo() {
  let now = 1_000;
  const limit = new ConcurrencyLimit("test", { requests: 2, bytes: 1_000 }, () => now);
  const ends: (() => void)[] = [];
  const start = async () => limit.run(limit.enter(100), () => new Promise<void>((resolve) => ends.push(resolve)));
  const end = async (ms: number) => {
    now += ms;
    ends.shift()?.();
    await Promise.resolve();
  };
  /** Seconds after which a request that is refused may come again; null for one that has room. */
  const refused = (): number | null => {
    try {
      limit.leave(limit.enter(100));
      return null;
    } catch (error) {
      if (!isServiceError(error) || error.code !== "unavailable") throw error;
      return error.options.retryAfterSeconds ?? NaN;
    }
  };
  return { limit, start, end, refused, pass: (ms: number) => (now += ms) };
}

test("so many requests run at a time, and one more when one of them ends", async () => {
  const { start, end, refused } = limitOfTwo();
  const first = start();
  expect(refused()).toBeNull();
  const second = start();
  expect(refused()).toBe(1);
  await expect(start()).rejects.toMatchObject({ code: "unavailable" });
  await end(10);
  await first;
  expect(refused()).toBeNull();
  await end(10);
  await second;
});

test("bodies together have so many bytes, and a larger one is alone", async () => {
  const { limit } = limitOfTwo();
  const large = limit.enter(5_000);
  expect(() => limit.enter(1)).toThrow();
  limit.leave(large);
  const half = limit.enter(600);
  expect(() => limit.enter(401)).toThrow();
  const rest = limit.enter(400);
  await limit.run(half, () => Promise.resolve());
  expect(() => limit.enter(601)).toThrow();
  limit.leave(rest);
  limit.leave(limit.enter(5_000));
});

test("a request that fails makes room, too", async () => {
  const { limit, refused } = limitOfTwo();
  for (let n = 0; n < 3; n++)
    await expect(limit.run(limit.enter(100), () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(refused()).toBeNull();
});

test("a request counts from when it is let in, but not while its body is long in coming", async () => {
  const { limit, start, end, refused, pass } = limitOfTwo();
  const slow = [limit.enter(100), limit.enter(100)];
  expect(refused()).toBe(1);
  pass(1_000);
  expect(refused()).toBeNull();
  const others = [start(), start()];
  expect(refused()).toBe(1);
  // Both go on when their bodies have come at last.
  const late = slow.map((place) => limit.run(place, () => Promise.resolve()));
  await Promise.all(late);
  for (const place of slow) limit.leave(place);
  expect(refused()).toBe(1);
  for (const _ of others) await end(0);
  await Promise.all(others);
  expect(refused()).toBeNull();
});

test("those that are refused come back one after the other, somewhat faster than requests are completed", async () => {
  const { start, end, refused, pass } = limitOfTwo();
  const running = [start(), start()];
  refused();
  // One every 200 ms, as long as there are as many as may be.
  for (let n = 0; n < 10; n++) {
    await end(200);
    running.push(start());
    refused();
  }
  pass(60_000);
  const seconds = Array.from({ length: 50 }, refused);
  expect(seconds.slice(0, 5)).toEqual([1, 1, 1, 1, 1]);
  expect(seconds.at(-1)).toBe(7);
  expect(seconds).toEqual(seconds.toSorted((a, b) => Number(a) - Number(b)));
  // What has passed is not waited for a second time.
  pass(5_000);
  expect(refused()).toBe(2);
  for (let n = 0; n < 2; n++) await end(0);
  await Promise.all(running);
});

test("nobody is sent away for more than a minute, and those beyond come back at different times", () => {
  const { start, refused } = limitOfTwo();
  void start();
  void start();
  const seconds = Array.from({ length: 20_000 }, refused).map(Number);
  expect(Math.max(...seconds)).toBeLessThanOrEqual(60);
  expect(Math.min(...seconds.slice(-10_000))).toBeGreaterThanOrEqual(30);
  expect(new Set(seconds.slice(-10_000)).size).toBeGreaterThan(25);
});

test("the request says in metrics and log that it was refused for the load", () => {
  const { start, refused } = limitOfTwo();
  void start();
  void start();
  const scope = new RequestScope();
  inScope(scope, refused);
  expect(scope.refusalCause).toBe("overloaded");
});
