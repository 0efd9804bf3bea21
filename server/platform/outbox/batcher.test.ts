import { expect, test } from "vitest";
import { Batcher } from "@/server/platform/outbox/batcher";
import { markOutage } from "@/server/platform/unavailable";

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
