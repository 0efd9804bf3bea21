import fc from "fast-check";
import { expect, test } from "vitest";
import { valueAtRank } from "@/engine/signals/weighted-rank";

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

test("the value at a rank is the one that sorting all samples puts there", () => {
  fc.assert(
    fc.property(rows, fc.double({ min: 0, max: 1, noNaN: true }), (list, share) => {
      const samples = list
        .flatMap(({ value, count }) => Array.from({ length: count }, () => value))
        .sort((a, b) => a - b);
      const rank = Math.max(1, Math.ceil(samples.length * share));
      const found = valueAtRank(
        Float64Array.from(list, ({ value }) => value),
        Float64Array.from(list, ({ count }) => count),
        rank,
      );
      expect(found === samples[rank - 1]).toBe(true);
    }),
    { numRuns: 500 },
  );
});
