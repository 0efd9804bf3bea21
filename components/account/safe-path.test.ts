import { expect, test } from "vitest";
import { safePath } from "@/components/account/safe-path";

test("a path of this site is kept, with its query", () => {
  expect(safePath("/devices?status=online#top")).toBe("/devices?status=online#top");
});

test.each(["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "", undefined, ["/a", "/b"]])(
  "%s leads home instead of away",
  (next) => {
    expect(safePath(next)).toBe("/");
  },
);
