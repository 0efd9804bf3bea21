import { expect, test } from "vitest";
import { Notes } from "@/engine/messages/notes";

test("one thing is counted in the singular, several together in the plural, none not at all", () => {
  const notes = new Notes();
  notes.count("beam without a range", "beams without a range");
  notes.count("cube too many", "cubes too many", 0);
  notes.count("point too many", "points too many", 1_200);
  expect(notes.list()).toEqual(["1 beam without a range", "1,200 points too many"]);
  notes.count("beam without a range", "beams without a range");
  expect(notes.list()).toEqual(["2 beams without a range", "1,200 points too many"]);
});
