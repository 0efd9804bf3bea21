import fc from "fast-check";
import { expect, test } from "vitest";
import { valuesAtRanks } from "@/engine/signals/weighted-rank";
import { countShare } from "@/server/testing/generated-cases";

const rows = fc.array(
  fc.record({
    value: fc.oneof(fc.integer({ min: -5, max: 5 }), fc.double({ noNaN: true })),
    count: fc.integer({ min: 1, max: 4 }),
  }),
  {
    minLength: 1,
    maxLength: 200,
  },
);

const shares = fc.array(fc.double({ min: 0, max: 1.1, noNaN: true }), { minLength: 1, maxLength: 4 });

test("the values at some ranks are those that sorting all samples puts there, the largest beyond their end", () => {
  fc.assert(
    fc.property(rows, shares, (list, some) => {
      const samples = list
        .flatMap(({ value, count }) => Array.from({ length: count }, () => value))
        .sort((a, b) => a - b);
      const ranks = some.map((share) => Math.max(1, Math.ceil(samples.length * share))).sort((a, b) => a - b);
      const found = valuesAtRanks(
        Float64Array.from(list, ({ value }) => value),
        Float64Array.from(list, ({ count }) => count),
        ranks,
      );
      const expected = ranks.map((rank) => samples[Math.min(rank, samples.length) - 1]);
      expect(found.every((value, at) => value === expected[at])).toBe(true);
    }),
    { numRuns: countShare(500) },
  );
});
