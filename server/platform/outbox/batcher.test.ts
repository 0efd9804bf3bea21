import { expect, test } from "vitest";
import { Batcher } from "@/server/platform/outbox/batcher";
import { markOutage } from "@/server/platform/unavailable";

/** A batcher that refuses negative numbers, and the batches it was asked to do. */
function numbers(refusal = new Error("refused")) {
  const batches: number[][] = [];
  const batcher = new Batcher<number>((items) => {
    batches.push(items);
    return items.some((item) => item < 0) ? Promise.reject(refusal) : Promise.resolve();
  }, 0);
  return { batcher, batches };
}

test("what comes in the same moment is done together, what comes later is another batch", async () => {
  const { batcher, batches } = numbers();
  await Promise.all([1, 2, 3].map((item) => batcher.add(item)));
  await batcher.add(4);
  expect(batches).toEqual([[1, 2, 3], [4]]);
});

test("one that cannot be done keeps none of the others from being done", async () => {
  const { batcher, batches } = numbers();
  const results = await Promise.allSettled([1, -2, 3].map((item) => batcher.add(item)));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(batches).toEqual([[1, -2, 3], [1], [-2], [3]]);
});

test("while the database is away nothing is tried one by one", async () => {
  const away = new Error("away");
  markOutage(away, "refused");
  const { batcher, batches } = numbers(away);
  const results = await Promise.allSettled([-1, 2].map((item) => batcher.add(item)));
  expect([results.map(({ status }) => status), batches]).toEqual([["rejected", "rejected"], [[-1, 2]]]);
});
