import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { extremes } from "@/engine/columns/extremes";
import { extremesWasm } from "@/engine/columns/extremes-wasm";

test("the extremes of stretches are those of their values", () => {
  const stretches = fc.array(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(stretches, (lists) => {
      const values = lists.flat();
      fc.pre(values.length <= extremes!.values.length);
      extremes!.values.set(values);
      let at = 0;
      for (const [stretch, list] of lists.entries()) extremes!.from.set([at, (at += list.length)], stretch);
      expect(extremes!.find(lists.length)).toBe(true);
      const found = [...extremes!.found.subarray(0, 2 * lists.length)];
      // Which of two zeros it is only `Math.min` says.
      expect(found.map((value) => value + 0)).toEqual(
        lists.flatMap((list) => [Math.min(...list) + 0, Math.max(...list) + 0]),
      );
    }),
  );
});

test.each([NaN, Infinity, -Infinity])("%d is found at any place", (wrong) => {
  for (let at = 0; at < 256; at++) {
    extremes!.values.fill(1).fill(wrong, at, at + 1);
    extremes!.from.set([0, 3, 4, 100, 255, 256]);
    expect(extremes!.find(5)).toBe(false);
    // What lies behind the last stretch does not matter.
    extremes!.from.set([0, at]);
    if (at > 0) expect(extremes!.find(1)).toBe(true);
  }
});

test("the committed module is the same as file and as text", () => {
  expect(extremesWasm).toBe(fs.readFileSync(path.join(import.meta.dirname, "extremes.wasm")).toString("base64"));
});
