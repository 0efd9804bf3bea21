import { expect, test } from "vitest";
import { buildTagUndo } from "./bulk-actions";

test("a change of tags is undone only where it changed something", () => {
  const result = { ok: true, error: null };
  const answer = {
    succeeded: 2,
    failed: 1,
    results: [
      { ...result, uid: "a", added: ["new", "both"], removed: ["old"] },
      { ...result, uid: "b", added: ["both"], removed: [] },
      { uid: "c", ok: false, error: "It is gone." },
    ],
  };
  expect(buildTagUndo(answer, ["new", "both", "had"], ["old", "missing"])).toEqual([
    { uids: ["a"], add: [], remove: ["new"] },
    { uids: ["a", "b"], add: [], remove: ["both"] },
    { uids: ["a"], add: ["old"], remove: [] },
  ]);
});
