import { expect, test } from "vitest";
import { isSampled, toPercentile } from "@/domain/tasks/sampling";

/** Uids of one millisecond, which differ in their last digits only. */
const uids = Array.from({ length: 20_000 }, (_, at) => `018f0000-0000-7000-8000-${at.toString(16).padStart(12, "0")}`);

test("of uids that follow each other, a share of them is in the sample, and a larger share holds the smaller", () => {
  for (const share of [1, 5, 20, 50, 99]) {
    const sampled = uids.filter((uid) => isSampled(uid, share));
    expect(Math.abs(sampled.length / uids.length - share / 100)).toBeLessThan(0.015);
    expect(sampled.every((uid) => isSampled(uid, share + 1))).toBe(true);
  }
  expect(uids.every((uid) => isSampled(uid, 100))).toBe(true);
});

test("whether a result is in the sample never changes", () => {
  expect(["018f0000-0000-7000-8000-000000000001", "01a226f6-ba69-70b7-b068-d1a06dc045c2"].map(toPercentile)).toEqual([
    30.45649661216885, 87.01294779311866,
  ]);
});
