import { expect, test } from "vitest";
import { describeAction, describeChange, describeEntry, listDifferences } from "./activity-texts";

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
  expect(describeChange({ note: null, tags: ["a"] }, { note: null, tags: ["a"], uid: null })).toEqual([]);
});

test("an entry of the audit log names what it is about", () => {
  expect(
    ["alert.resolved", "api_key.created", "webhook.secret_rotated", "export.exported", "odd"].map(describeEntry),
  ).toEqual(["Alert resolved", "API key created", "Webhook secret rotated", "Export finished", "Odd"]);
});

test("two versions of a rule differ in the members that changed, were added or removed", () => {
  const before = {
    condition: { type: "threshold", value: 80, window: "5s" },
    actions: [{ type: "notify" }],
    scope: null,
  };
  const after = {
    condition: { type: "threshold", value: 89.9 },
    actions: [{ type: "notify" }, { type: "tag", value: "hot" }],
    scope: null,
  };
  expect(listDifferences(before, after)).toEqual([
    { path: "condition.value", before: "80", after: "89.9" },
    { path: "condition.window", before: "5s", after: null },
    { path: "actions.1.type", before: null, after: "tag" },
    { path: "actions.1.value", before: null, after: "hot" },
  ]);
  expect(listDifferences(after, after)).toEqual([]);
});
