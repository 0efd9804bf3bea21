import { expect, test } from "vitest";
import { describeAction, describeChange } from "./activity-texts";

test("an action has a label, an unknown one too", () => {
  expect(["device.token_rotated", "device.moved_hall", "odd"].map(describeAction)).toEqual([
    "Token rotated",
    "Moved hall",
    "Odd",
  ]);
});

test("a change names each field with what it was and what it is", () => {
  const before = { status: "offline", tags: [], metadata: { a: 1 }, note: null };
  const after = { status: "online", tags: ["a", "b"], metadata: { a: 2 }, note: "x".repeat(100) };
  expect(describeChange(before, after)).toEqual([
    "status: offline → online",
    "tags: none → a, b",
    'metadata: {"a":1} → {"a":2}',
    `note: none → ${"x".repeat(79)}…`,
  ]);
  expect(describeChange(null, null)).toEqual([]);
});
