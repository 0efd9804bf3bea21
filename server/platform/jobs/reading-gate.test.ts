import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { type Reader, ReadingGate } from "@/server/platform/jobs/reading-gate";

const quick: Reader = { alone: false, slow: false };
const slow: Reader = { alone: false, slow: true };
const alone: Reader = { alone: true, slow: true };

/** Readers at one gate, by the order in which they came, and which of them read. */
function scene() {
  const gate = new ReadingGate();
  const inside = new Map<number, () => void>();
  let last = 0;
  return {
    come: (reader: Reader, signal = new AbortController().signal) => {
      const n = ++last;
      return gate.enter(reader, signal).then((end) => inside.set(n, end));
    },
    reading: async () => {
      await nextTurn();
      return [...inside.keys()];
    },
    end: (n: number) => {
      inside.get(n)?.();
      inside.delete(n);
    },
  };
}

test("readers read beside each other", async () => {
  const { come, reading } = scene();
  for (const reader of [quick, slow, slow]) void come(reader);
  expect(await reading()).toEqual([1, 2, 3]);
});

test("one that reads alone waits for all others, and those that come later wait for it", async () => {
  const { come, reading, end } = scene();
  for (const reader of [quick, quick, alone, quick, slow, alone]) void come(reader);
  expect(await reading()).toEqual([1, 2]);
  end(1);
  expect(await reading()).toEqual([2]);
  end(2);
  expect(await reading()).toEqual([3]);
  end(3);
  expect(await reading()).toEqual([4, 5]);
  end(4);
  end(5);
  expect(await reading()).toEqual([6]);
});

test("quick readers do not wait for a slow one that somebody else waits for", async () => {
  const { come, reading, end } = scene();
  for (const reader of [slow, alone, quick, slow, quick]) void come(reader);
  expect(await reading()).toEqual([1, 3, 5]);
  end(1);
  expect(await reading()).toEqual([3, 5]);
  end(3);
  end(5);
  expect(await reading()).toEqual([2]);
  end(2);
  expect(await reading()).toEqual([4]);
});

test("one that stops waiting lets others pass", async () => {
  const { come, reading } = scene();
  const stopping = new AbortController();
  void come(quick);
  const waiting = come(alone, stopping.signal);
  void come(quick);
  expect(await reading()).toEqual([1]);
  stopping.abort(new Error("the worker stops"));
  await expect(waiting).rejects.toThrow("the worker stops");
  expect(await reading()).toEqual([1, 3]);
});
