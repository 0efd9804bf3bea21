import { expect, test } from "vitest";
import { isUid } from "@/domain/uid";
import { newUid, uidFloor, uidTime } from "@/server/platform/uid";

test("identifiers sort in the order they were made, also those of one millisecond, and tell when that was", () => {
  const before = Date.now();
  const made = Array.from({ length: 20_000 }, () => newUid("device"));
  const after = Date.now();
  expect(new Set(made).size).toBe(made.length);
  expect(made.every((uid) => isUid("device", uid))).toBe(true);
  expect(made.toSorted()).toEqual(made);
  expect(uidTime(made[0]!)).toBeGreaterThanOrEqual(before);
  expect(uidTime(made.at(-1)!)).toBeLessThanOrEqual(after);
  expect(made[0]! >= uidFloor("device", before)).toBe(true);
  expect(made.at(-1)! < uidFloor("device", after + 1)).toBe(true);
});
