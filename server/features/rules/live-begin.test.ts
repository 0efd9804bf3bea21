import { expect, test } from "vitest";
import { findBegin, findLook, rememberLook } from "@/server/features/rules/live-begin";

const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes));
const begin = (since: number, created: number, look: number | null, newest: number | null): number => {
  const known = (minutes: number | null) => (minutes === null ? null : at(minutes));
  const found = findBegin(
    { live_since: at(since) },
    { created_at: at(created) },
    { look: known(look), newest: known(newest), now: at(100) },
  );
  return (found.getTime() - at(0).getTime()) / 60_000;
};

test("a device without a state is watched from when it and the rule were there, and not before it came into the scope", () => {
  // The first look of a version, also after a restart.
  expect([begin(10, 5, null, null), begin(10, 20, null, null)]).toEqual([10, 20]);
  // It was not in the scope at the last look, or is newer.
  expect([begin(10, 5, 90, null), begin(10, 95, 90, null)]).toEqual([90, 95]);
  // After a restart: others have states, so it is new or has come into the scope.
  expect([begin(10, 95, null, 90), begin(10, 5, null, 90)]).toEqual([95, 100]);
});

test("a look is one at a version of a rule since it was enabled", () => {
  const rule = { uid: "rul_looked_at", version: 2, live_since: at(10) };
  expect(findLook(rule)).toBeNull();
  rememberLook(rule.uid, { version: 2, since: at(10), at: at(20) });
  expect(findLook(rule)).toEqual(at(20));
  expect(findLook({ ...rule, version: 3 })).toBeNull();
  expect(findLook({ ...rule, live_since: at(11) })).toBeNull();
});
