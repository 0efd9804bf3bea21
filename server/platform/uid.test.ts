import { expect, test } from "vitest";
import { isUid } from "@/domain/uid";
import { newUid, uidFloor, uidTime } from "@/server/platform/uid";

test("identifiers sort in the order of creation, also within a millisecond, and contain their creation time", () => {
  const before = Date.now();
  const uids = Array.from({ length: 20_000 }, () => newUid("device"));
  const after = Date.now();
  expect(new Set(uids).size).toBe(uids.length);
  expect(uids.every((uid) => isUid("device", uid))).toBe(true);
  expect(uids.toSorted()).toEqual(uids);
  expect(uidTime(uids[0]!)).toBeGreaterThanOrEqual(before);
  expect(uidTime(uids.at(-1)!)).toBeLessThanOrEqual(after);
  expect(uids[0]! >= uidFloor("device", before)).toBe(true);
  expect(uids.at(-1)! < uidFloor("device", after + 1)).toBe(true);
});
