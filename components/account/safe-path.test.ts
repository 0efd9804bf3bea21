import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPath, safePath } from "@/components/account/safe-path";
import { countShare } from "@/server/testing/generated-cases";

const site = "https://muster.example";

describe("where to go after signing in", () => {
  test("a path of this site is kept, with its query", () => {
    expect(safePath("/devices?status=online#top")).toBe("/devices?status=online#top");
    expect(safePath("/rules/../devices?next=//evil.test")).toBe("/devices?next=//evil.test");
  });

  test.each([
    ...["//evil.test", "/\\evil.test", "https://evil.test", "javascript:alert(1)", "evil.test"],
    ...["", undefined, ["/a", "/b"]],
    ...["/..//evil.test/login", "/.//evil.test", "/a/..//evil.test", "/%2e%2e//evil.test", "/.%2e//evil.test"],
    ...["/./\\evil.test", "/..\\/evil.test", "/\\..\\\\evil.test", "\\..//evil.test", "/a/b/../..//evil.test"],
    ...["/\t/evil.test", "/\n/evil.test", "/./\t/evil.test", "///evil.test"],
    ...["/..//user@evil.test", "/..//evil.test:8080"],
  ])("%s leads to the start page, not away", (next) => {
    expect(safePath(next)).toBe("/");
  });

  const separators = ["/", "\\", ".", "..", "%2e", "%2E", "%2f", "%5c", "?", "#", "@", ":"];
  const piece = fc.oneof(
    fc.constantFrom(...separators, "\t", "\n", "\r", " ", "\0", "http:", "evil.test", "a"),
    fc.string({ unit: "binary", maxLength: 3 }),
  );
  test("every path, however malformed, stays on this site and begins with one slash", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.constantFrom("", "/"), (pieces, start) => {
        const path = safePath(start + pieces.join(""));
        expect(new URL(path, site).origin).toBe(site);
        expect(path).toMatch(/^\/(?![/\\])/);
      }),
      { numRuns: countShare(20_000) },
    );
  });

  test("the path of an address counts, and never its site", () => {
    expect(safePath(readPath("https://muster.example/devices?a=1"))).toBe("/devices?a=1");
    expect(safePath(readPath("https://evil.test/devices"))).toBe("/devices");
    expect(safePath(readPath("https://evil.test//evil.test"))).toBe("/");
    for (const none of ["", "/devices", undefined, ["https://muster.example/a"]])
      expect(safePath(readPath(none))).toBe("/");
  });
});
