import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findEnds, findGaps, isSorted, joinTimes, lowerBound } from "@/engine/formats/stats/time-lists";

/** Times close to where the lower half overflows, and any others. */
const time = fc.oneof(
  fc.bigInt({ min: 0xffff_fff0n, max: 0x1_0000_000fn }),
  fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
);
const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
const plainSorted = (times: readonly bigint[]): bigint[] => [...times].sort(compare);

describe("lists of times", () => {
  test("are joined in rising order", () => {
    fc.assert(
      fc.property(fc.array(fc.array(time)), (lists) => {
        const joined = joinTimes(lists.map((list) => BigInt64Array.from(list)));
        expect([...joined]).toEqual(plainSorted(lists.flat()));
        expect(isSorted(joined)).toBe(true);
      }),
    );
  });

  test("are found to be unsorted, and their ends", () => {
    fc.assert(
      fc.property(fc.array(time, { minLength: 1 }), (list) => {
        const times = BigInt64Array.from(list);
        const sorted = plainSorted(list);
        expect(isSorted(times)).toBe(sorted.every((value, at) => value === list[at]));
        expect(findEnds(times)).toEqual({ first: sorted[0], last: sorted.at(-1), negative: false });
        expect(findEnds(BigInt64Array.from([...list, -1n])).negative).toBe(true);
      }),
    );
  });

  test("have the gaps of all of them together, found in the longest", () => {
    const near = fc.array(fc.bigInt({ min: 0n, max: 2_000n }), { minLength: 1, maxLength: 8 });
    const dense = fc.array(fc.bigInt({ min: 0n, max: 300n }), { minLength: 150, maxLength: 200 });
    let found = 0;
    fc.assert(
      fc.property(fc.array(near, { maxLength: 4 }), dense, fc.integer({ min: 20, max: 400 }), (few, many, least) => {
        const lists = [...few, many].map(plainSorted);
        const all = plainSorted(lists.flat());
        const result = findGaps(
          lists.map((list) => BigInt64Array.from(list)),
          least,
        );
        if (result === null) return;
        found += 1;
        const pairs = all.slice(1).map((end, at) => ({ start: all[at]!, end }));
        expect(result.gaps).toEqual(pairs.filter(({ start, end }) => end - start >= least));
        const shorter = pairs.filter(({ start, end }) => end > start && end - start < least).length;
        expect(result.shorter).toBeLessThanOrEqual(shorter);
        if (few.length === 0) expect(result.shorter).toBe(shorter);
      }),
    );
    expect(found).toBeGreaterThan(20);
  });

  test("have no gaps looked for one by one where there are many", () => {
    const slow = BigInt64Array.from({ length: 100 }, (_, at) => BigInt(at) * 1_000n);
    expect(findGaps([slow, slow], 1_000)).toBeNull();
    expect(findGaps([slow, slow], 1_001)).toEqual({ gaps: [], shorter: 99 });
  });

  test("are searched", () => {
    fc.assert(
      fc.property(fc.array(time), time, (list, value) => {
        const sorted = plainSorted(list);
        const at = lowerBound(BigInt64Array.from(sorted), value);
        expect(at).toBe(sorted.filter((one) => one < value).length);
      }),
    );
  });
});
