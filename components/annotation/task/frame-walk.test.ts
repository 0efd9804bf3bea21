import { expect, test } from "vitest";
import { describeFrame, FrameWalk } from "./frame-walk";

/** A recording with a frame each 100 ms from 0 to 900 ms, of which two on each side are known at a time; the item is at 500 ms. */
function makeWalk() {
  const asked: (string | undefined)[] = [];
  const inDataset = new Set(["500000000"]);
  const frame = (n: number) => {
    const t_ns = String(n * 100_000_000);
    return { t_ns, item: inDataset.has(t_ns) ? `${n}.png` : null };
  };
  const list = (from: number, to: number) =>
    Array.from({ length: 10 }, (_, n) => n)
      .filter((n) => n >= from && n <= to)
      .map(frame);
  const said: string[] = [];
  const walk = new FrameWalk({
    read: async (around) => {
      asked.push(around);
      await Promise.resolve();
      const at = Number(around ?? "500000000") / 100_000_000;
      const of = { recording: "rec", topic: "/front", dataset: "yard", item_ns: "500000000" };
      const recorded = { ...of, around: frame(at), before: list(at - 2, at - 1), after: list(at + 1, at + 2) };
      return { recorded, refusal: null };
    },
    prepare: () => Promise.resolve(),
    say: (text) => void said.push(text),
  });
  return { walk, asked, said, inDataset };
}

test("frames are gone through one by one, read as the ends of what is known are reached, and past the item itself", async () => {
  const { walk, asked } = makeWalk();
  await walk.step(1);
  expect(walk.state.shown?.t_ns).toBe("600000000");
  await walk.step(1);
  await walk.step(1);
  expect([walk.state.shown?.t_ns, asked]).toEqual(["800000000", [undefined, "700000000"]]);
  const { shown, recorded } = walk.state;
  expect(shown && recorded && describeFrame(shown, recorded)).toBe("Frame 300 ms after, not in the dataset");
  for (let step = 0; step < 3; step++) await walk.step(-1);
  expect(walk.state.shown).toBeNull();
  await walk.step(-1);
  expect(walk.state.shown?.t_ns).toBe("400000000");
  walk.leave();
  expect(walk.state.shown).toBeNull();
});

test("presses that come while frames are read are kept, and at the end it says so", async () => {
  const { walk, said } = makeWalk();
  await Promise.all([walk.step(1), walk.step(1), walk.step(1), walk.step(1)]);
  expect(walk.state).toMatchObject({ shown: { t_ns: "900000000" }, note: null });
  await walk.step(1);
  expect(walk.state).toMatchObject({
    shown: { t_ns: "900000000" },
    note: "The recording has no frame after this one.",
  });
  await walk.step(-1);
  expect([walk.state.note, said]).toEqual([null, []]);
});

test("whoever goes back to the item meanwhile sees the item", async () => {
  const { walk } = makeWalk();
  const steps = walk.step(1);
  walk.leave();
  await steps;
  expect(walk.state.shown).toBeNull();
});

test("without frames it says why, and a frame that became an item is one after it is read anew", async () => {
  const said: string[] = [];
  const refused = new FrameWalk({
    read: () => Promise.resolve({ recorded: null, refusal: "Its recording was deleted." }),
    prepare: () => Promise.resolve(),
    say: (text) => void said.push(text),
  });
  await refused.step(-1);
  expect([refused.state.shown, said]).toEqual([null, ["Its recording was deleted."]]);
  const { walk, inDataset } = makeWalk();
  await walk.step(1);
  expect(walk.state.shown?.item).toBeNull();
  inDataset.add("600000000");
  await walk.refresh();
  expect(walk.state.shown).toEqual({ t_ns: "600000000", item: "6.png" });
});
