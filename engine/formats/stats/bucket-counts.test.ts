import fc from "fast-check";
import { expect, test } from "vitest";
import { BucketCounts } from "@/engine/formats/stats/bucket-counts";
import { toHalves } from "@/engine/formats/stats/time-lists";

/** Steps of robots, and those that pass the lower half. */
const step = fc.oneof(
  fc.bigInt({ min: 0n, max: 40n }),
  fc.bigInt({ min: 9_990n, max: 10_010n }),
  fc.bigInt({ min: 0n, max: 2n ** 33n }),
);

test("the width is the least of which there are no more buckets than wanted, however the times are added", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 2n ** 61n }),
      fc.array(step, { minLength: 1, maxLength: 200 }),
      fc.nat(200),
      fc.integer({ min: 0, max: 60 }),
      (start, steps, parted, cap) => {
        let time = start;
        const times = BigInt64Array.from(steps.map((one) => (time += one)));
        const counts = new BucketCounts();
        counts.add(toHalves(times.slice(0, parted)), start);
        counts.add(toHalves(times.slice(parted)), start);
        const width = counts.getWidth(cap);
        const countAt = (wide: number): number => new Set([...times].map((one) => (one - start) / BigInt(wide))).size;
        expect(countAt(width)).toBeLessThanOrEqual(Math.max(1, cap));
        if (width > 1) expect(countAt(width / 2)).toBeGreaterThan(Math.max(1, cap));
      },
    ),
  );
});
