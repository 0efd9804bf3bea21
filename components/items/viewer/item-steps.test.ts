import fc from "fast-check";
import { expect, test } from "vitest";
import { walk } from "./item-steps";

const uids = ["a", "b", "c", "d"];

test("steps lead to the items around, and no further", () => {
  expect(walk(uids, "b", 1, true)).toEqual({ to: "c", left: 0 });
  expect(walk(uids, "b", -1, true)).toEqual({ to: "a", left: 0 });
  expect(walk(uids, "d", 1, true)).toEqual({ to: null, left: 0 });
  expect(walk(uids, "a", 0, true)).toEqual({ to: null, left: 0 });
});

test("steps beyond what is known are left until it is complete", () => {
  expect(walk([], "b", 2, false)).toEqual({ to: null, left: 2 });
  expect(walk([], "b", 2, true)).toEqual({ to: null, left: 0 });
  expect(walk(uids, "d", 1, false)).toEqual({ to: null, left: 1 });
  expect(walk(uids, "c", 3, false)).toEqual({ to: "d", left: 2 });
});

test("steps done one part after another, as more is known, lead where all of them do", () => {
  const many = Array.from({ length: 40 }, (_, at) => String(at));
  const step = fc.integer({ min: 0, max: 39 });
  fc.assert(
    fc.property(step, fc.integer({ min: -50, max: 50 }), fc.integer({ min: 1, max: 10 }), (start, steps, known) => {
      let [at, left] = [String(start), steps];
      while (left !== 0) {
        const place = Number(at);
        const around = many.slice(Math.max(0, place - known), place + known + 1);
        const walked = walk(around, at, left, true);
        if (walked.to === null) break;
        [at, left] = [walked.to, walked.left];
      }
      expect(Number(at)).toBe(Math.max(0, Math.min(39, start + steps)));
    }),
  );
});
