import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { beforeLarge, giveWay } from "@/server/features/processing/give-way";

/** Whether a large recording goes on with its next slice in the same turn. */
async function goesOn(): Promise<boolean> {
  let over = false;
  const waiting = giveWay().then(() => (over = true));
  await nextTurn();
  const result = over;
  await waiting;
  return result;
}

test("a large recording rests between slices while small ones are processed, also when one of them failed", async () => {
  expect(await goesOn()).toBe(true);
  const ends: (() => void)[] = [];
  const small = [1, 2].map(() => beforeLarge(() => new Promise<void>((resolve) => ends.push(resolve))));
  expect(await goesOn()).toBe(false);
  ends[0]?.();
  await small[0];
  expect(await goesOn()).toBe(false);
  ends[1]?.();
  await small[1];
  expect(await goesOn()).toBe(true);
  await expect(beforeLarge(() => Promise.reject(new Error("damaged")))).rejects.toThrow("damaged");
  expect(await goesOn()).toBe(true);
});
