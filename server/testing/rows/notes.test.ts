import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { joinNotes } from "@/server/testing/rows/notes";

test("of runs that end one after the other, the last one has the kinds and statements of all", () => {
  const folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "muster-notes-")), "statements");
  try {
    expect(joinNotes(folder, ["waiting", "program"], new Set(["a.ts:1", "b.ts:2"]))).toEqual({
      kinds: ["program", "waiting"],
      compared: new Set(["a.ts:1", "b.ts:2"]),
    });
    // A run with a failed test is complete in no kind.
    expect(joinNotes(folder, [], new Set(["c.ts:3"])).kinds).toEqual(["program", "waiting"]);
    expect(joinNotes(folder, ["database"], new Set(["d.ts:4"]))).toEqual({
      kinds: ["database", "program", "waiting"],
      compared: new Set(["a.ts:1", "b.ts:2", "d.ts:4"]),
    });
  } finally {
    fs.rmSync(path.dirname(folder), { recursive: true });
  }
});
