import { expect, test, vi } from "vitest";
import { Batcher, type BatchLimits, onceEach } from "@/server/platform/outbox/batcher";
import { inScope, RequestScope } from "@/server/platform/request-scope";
import { findOutage, markOutage } from "@/server/platform/unavailable";

/** A batcher that rejects negative numbers, and the batches that it processed. */
function numbers(refusal = new Error("refused")) {
  const batches: number[][] = [];
  const batcher = new Batcher<number>((items) => {
    batches.push(items);
    return items.some((item) => item < 0) ? Promise.reject(refusal) : Promise.resolve();
  }, 0);
  return { batcher, batches };
}

test("items added at the same time are processed together, later ones in another batch", async () => {
  const { batcher, batches } = numbers();
  await Promise.all([1, 2, 3].map((item) => batcher.add(item)));
  await batcher.add(4);
  expect(batches).toEqual([[1, 2, 3], [4]]);
});

test("an item that fails does not prevent the others of its batch", async () => {
  const { batcher, batches } = numbers();
  const results = await Promise.allSettled([1, -2, 3].map((item) => batcher.add(item)));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(batches).toEqual([[1, -2, 3], [1], [-2], [3]]);
});

test("while the database is unavailable, items are not retried one by one", async () => {
  const outage = new Error("unavailable");
  markOutage(outage, "refused");
  const { batcher, batches } = numbers(outage);
  const results = await Promise.allSettled([-1, 2].map((item) => batcher.add(item)));
  expect([results.map(({ status }) => status), batches]).toEqual([["rejected", "rejected"], [[-1, 2]]]);
});

/** A batcher whose batches end when the test says so. */
function heldBatcher(limits: BatchLimits, weigh?: (item: number) => number) {
  const batches: number[][] = [];
  const ends: (() => void)[] = [];
  const work = (items: number[]) => {
    batches.push(items);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  return { batcher: new Batcher<number>(work, 0, limits, weigh), batches, ends };
}
const batchesStarted = (batches: number[][], count: number) =>
  vi.waitFor(() => expect(batches).toHaveLength(count), { timeout: 60_000 });

test("while a batch is processed, items are collected for the next one, up to its size", async () => {
  const { batcher, batches, ends } = heldBatcher({ concurrency: 1, size: 2, waiting: 10 });
  const first = batcher.add(1);
  await batchesStarted(batches, 1);
  const others = [2, 3, 4].map((item) => batcher.add(item));
  ends[0]?.();
  await first;
  await batchesStarted(batches, 2);
  ends[1]?.();
  await batchesStarted(batches, 3);
  ends[2]?.();
  await Promise.all(others);
  expect(batches).toEqual([[1], [2, 3], [4]]);
});

test("items are refused as overload while as many wait as may", async () => {
  const { batcher, batches, ends } = heldBatcher({ concurrency: 1, size: 9, waiting: 2 });
  const first = batcher.add(1);
  await batchesStarted(batches, 1);
  const waiting = [2, 3].map((item) => batcher.add(item));
  const refused: unknown = await batcher.add(4).catch((error: unknown) => error);
  expect(findOutage(refused)).toBe("overloaded");
  ends[0]?.();
  await batchesStarted(batches, 2);
  ends[1]?.();
  await Promise.all([first, ...waiting]);
  expect(batches).toEqual([[1], [2, 3]]);
});

test("an item waits no longer than its request may, and is then not processed any more", async () => {
  const { batcher, batches, ends } = heldBatcher({ concurrency: 1, size: 9, waiting: 9 });
  const first = batcher.add(1);
  await batchesStarted(batches, 1);
  const late: unknown = await inScope(new RequestScope(20), () => batcher.add(2)).catch((error: unknown) => error);
  expect(findOutage(late)).toBe("timeout");
  const last = batcher.add(3);
  ends[0]?.();
  await batchesStarted(batches, 2);
  ends[1]?.();
  await Promise.all([first, last]);
  expect(batches).toEqual([[1], [3]]);
});

test("batches are bounded by weight, and one item of any weight is a batch", async () => {
  const { batcher, batches, ends } = heldBatcher({ concurrency: 1, size: 5, waiting: 9 }, (item) => item);
  const all = [9, 3, 2, 1, 9].map((item) => batcher.add(item));
  for (const count of [1, 2, 3, 4]) {
    await batchesStarted(batches, count);
    ends[count - 1]?.();
  }
  await Promise.all(all);
  expect(batches).toEqual([[9], [3, 2], [1], [9]]);
});

test("of items with one key the first come before the second", async () => {
  const rounds: string[][] = [];
  await onceEach(
    ["a1", "b1", "a2", "a3", "c1", "b2"],
    (item) => item[0] ?? "",
    (items) => Promise.resolve(void rounds.push(items.toSorted())),
  );
  expect(rounds).toEqual([["a1", "b1", "c1"], ["a2", "b2"], ["a3"]]);
});
