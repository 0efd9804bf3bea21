import path from "node:path";
import { describe, expect, test } from "vitest";
import { filePath, refusalOfPath } from "@/domain/uploads/file-path";

/** Paths that lead out of a folder, or look like others. */
const refusedPaths: readonly [string, string][] = [
  ["../x.mcap", '".."'],
  ["..", '".."'],
  ["a/../../x.mcap", '".."'],
  ["a/..", '".."'],
  ["..\\x.mcap", '".."'],
  ["a\\..\\x.mcap", '".."'],
  ["/etc/passwd", "absolute"],
  ["//server/share", "absolute"],
  ["\\x.mcap", "absolute"],
  ["\\\\server\\share\\x.mcap", "absolute"],
  ["C:\\x.mcap", "absolute"],
  ["c:/x.mcap", "absolute"],
  ["C:x.mcap", "absolute"],
  ...["\n", "\t", "\u0007", "\u001b", "\u007f", "\u0085"].map((c): [string, string] => [`a${c}b.mcap`, "control"]),
  ...["\u061c", "\u200e", "\u200f", "\u202a", "\u202e", "\u2066", "\u2069"].map((c): [string, string] => [
    `a${c}b.mcap`,
    "direction",
  ]),
];

const good = [
  "run.mcap",
  "front/run.bag",
  "..run.mcap",
  "a..b",
  "...",
  "a/.hidden",
  "CON",
  "<b>'; --.bag",
  "12:30.mcap",
];
const more = ["מקליט.mcap", "запись 1.mcap", "🤖.mcap", "e\u0301.mcap", "a\u200db.mcap", "back\\slash.mcap", " a"];

describe("the path of an uploaded file", () => {
  test.each(refusedPaths)("is refused: %j, with %s", (given, reason) => {
    expect(refusalOfPath(given)).toContain(reason);
    expect(filePath().safeParse(given).error?.issues).toMatchObject([{ message: refusalOfPath(given) }]);
  });

  test.each([...good, ...more])("may be %j", (given) => {
    expect(filePath().parse(given)).toBe(given);
  });

  test("is inside the folder that it is joined to, on every system", () => {
    const parts = ["..", ".", "", "a", "C:", "\\", "/", "...", "~", "b.mcap"];
    const all = parts.flatMap((a) => parts.flatMap((b) => parts.flatMap((c) => [`${a}${b}${c}`, `${a}/${b}\\${c}`])));
    const accepted = all.filter((given) => filePath().safeParse(given).success);
    expect(accepted.length).toBeGreaterThan(100);
    for (const given of accepted) {
      expect(path.posix.resolve("/own", given)).toMatch(/^\/own(\/|$)/);
      expect(path.win32.resolve("D:\\own", given)).toMatch(/^D:\\own(\\|$)/);
    }
  });
});
