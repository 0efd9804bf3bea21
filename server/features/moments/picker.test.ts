import fc from "fast-check";
import { expect, test } from "vitest";
import { Picker, type Rate } from "@/server/features/moments/picker";

const pick = (rate: Rate, from: bigint, times: readonly bigint[]): bigint[] => {
  const picker = new Picker(from, rate);
  return times.filter((time) => picker.takes("/camera", time));
};

test("every message, the first of each step, or the first of all becomes a frame", () => {
  const times = [0n, 40n, 90n, 100n, 140n, 310n, 310n];
  expect(pick({ everyNs: 0n, first: false }, 0n, times)).toEqual([0n, 40n, 90n, 100n, 140n, 310n]);
  expect(pick({ everyNs: 100n, first: false }, 0n, times)).toEqual([0n, 100n, 310n]);
  expect(pick({ everyNs: 100n, first: false }, 40n, times.slice(1))).toEqual([40n, 140n, 310n]);
  expect(pick({ everyNs: 0n, first: true }, 0n, times)).toEqual([0n]);
});

test("each topic has its own frames", () => {
  const picker = new Picker(0n, { everyNs: 0n, first: true });
  expect([picker.takes("/a", 1n), picker.takes("/b", 1n), picker.takes("/a", 2n)]).toEqual([true, true, false]);
});

test("reading that goes on where it ended chooses the same frames", () => {
  const times = fc
    .uniqueArray(fc.bigInt({ min: 0n, max: 10_000n }), { minLength: 2, maxLength: 60 })
    .map((list) => list.sort((a, b) => (a < b ? -1 : 1)));
  const rate = fc.record({ everyNs: fc.constantFrom(0n, 1n, 70n, 1_000n), first: fc.boolean() });
  fc.assert(
    fc.property(times, rate, fc.nat(), (all, chosen, at) => {
      const whole = pick(chosen, all[0]!, all);
      const stopped = all[at % all.length]!;
      const before = pick(
        chosen,
        all[0]!,
        all.filter((time) => time <= stopped),
      );
      const start = new Picker(all[0]!, chosen).resumeAt(stopped);
      const after = pick(
        chosen,
        all[0]!,
        all.filter((time) => time >= start),
      );
      expect([...new Set([...before, ...after])].sort((a, b) => (a < b ? -1 : 1))).toEqual(whole);
    }),
  );
});
