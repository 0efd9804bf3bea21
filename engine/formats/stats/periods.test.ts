import fc from "fast-check";
import { expect, test } from "vitest";
import { PeriodCounts } from "@/engine/formats/stats/periods";
import { toHalves } from "@/engine/formats/stats/time-lists";

/** Periods of robots, and those whose numbers do not fit 32 bits. */
const period = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 2 ** 52 }));

/** The mean of the middle two, rounded down. */
function getMedian(periods: readonly number[]): bigint | null {
  const sorted = [...periods].sort((a, b) => a - b).map(BigInt);
  if (sorted.length === 0) return null;
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.floor(sorted.length / 2)]!) / 2n;
}

test("the median of few distinct periods is exact, in any order", () => {
  fc.assert(
    fc.property(fc.array(period, { maxLength: 300 }), (periods) => {
      const counts = new PeriodCounts(1_000);
      for (const one of periods) counts.add(one);
      expect(counts.median()).toBe(getMedian(periods));
    }),
  );
});

test("where only longer medians matter, shorter periods are only counted", () => {
  fc.assert(
    fc.property(
      fc.array(period, { minLength: 1, maxLength: 300 }),
      fc.integer({ min: 1, max: 60 }),
      (periods, from) => {
        const times = BigInt64Array.from([0, ...periods].map(BigInt));
        for (let i = 1; i < times.length; i++) times[i] = (times[i] ?? 0n) + (times[i - 1] ?? 0n);
        const [single, between, apart] = [1, 2, 3].map(() => new PeriodCounts(1_000, from));
        for (const one of periods) single!.add(one);
        between!.addBetween(toHalves(times));
        for (const one of periods) if (one >= from) apart!.add(one);
        apart!.addShort(periods.filter((one) => one < from).length);
        const sorted = [...periods].sort((a, b) => a - b);
        const [lower, upper] = [Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2)];
        const middle = [lower, upper].map((at) => sorted[at]!).filter((one) => one >= from);
        for (const counts of [single, between, apart]) expect(counts!.median()).toBe(getMedian(middle));
      },
    ),
  );
});

test("that of too many distinct ones is rounded to a power of two", () => {
  const periods = Array.from({ length: 10_000 }, (_, i) => 1_000_000 + ((i * 7_919) % 10_000));
  const counts = new PeriodCounts(500);
  for (const one of periods) counts.add(one);
  expect(Math.abs(Number(counts.median()) - 1_005_000)).toBeLessThanOrEqual(32);
});

test("times are counted as the periods between them", () => {
  const times = BigInt64Array.from([5n, 5n, 2n ** 33n, 2n ** 33n + 7n, 2n ** 33n + 14n]);
  const [between, single] = [new PeriodCounts(100), new PeriodCounts(100)];
  between.addBetween(toHalves(times));
  for (const one of [2 ** 33 - 5, 7, 7]) single.add(one);
  expect(between.median()).toBe(7n);
  expect(between.median()).toBe(single.median());
});
