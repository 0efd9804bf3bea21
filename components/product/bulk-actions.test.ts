import { expect, test } from "vitest";
import { buildTagUndo } from "./bulk-actions";

test("a change of tags is undone only where it changed something", () => {
  const done = { ok: true, error: null };
  const result = {
    succeeded: 2,
    failed: 1,
    results: [
      { ...done, uid: "a", added: ["new", "both"], removed: ["old"] },
      { ...done, uid: "b", added: ["both"], removed: [] },
      { uid: "c", ok: false, error: "It was deleted." },
    ],
  };
  expect(buildTagUndo(result, ["new", "both", "had"], ["old", "missing"])).toEqual([
    { uids: ["a"], add: [], remove: ["new"] },
    { uids: ["a", "b"], add: [], remove: ["both"] },
    { uids: ["a"], add: ["old"], remove: [] },
  ]);
});
