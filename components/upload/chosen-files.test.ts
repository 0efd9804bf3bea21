import { expect, test } from "vitest";
import { isOfSystem } from "./chosen-files";

test.each([".DS_Store", "drive/.DS_Store", "drive/Thumbs.db", "a/desktop.ini", "a/._front.png", "__MACOSX/a/b.png"])(
  "%s is no file that somebody chose",
  (path) => expect(isOfSystem(path)).toBe(true),
);

test.each(["front.png", "DS_Store.png", "a/.front.png", "_front.png", "thumbs.db.png", "my__MACOSX/a.png"])(
  "%s is one",
  (path) => expect(isOfSystem(path)).toBe(false),
);
