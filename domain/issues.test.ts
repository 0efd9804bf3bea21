import { describe, expect, test } from "vitest";
import { z } from "zod";
import { issueLine, issuesBelow, toIssues, messageAt, messagesByField, wholeMessage } from "@/domain/issues";

const issues = [
  { path: ["condition", "conditions", 1, "topic"], message: "This field is required." },
  { path: ["condition", "conditions", 10, "topic"], message: "Too long." },
  { path: ["name"], message: "Taken." },
  { path: [], message: "Pick one." },
];

describe("issues", () => {
  test("lie below a path by its steps, not by a common prefix of texts", () => {
    expect(issuesBelow(issues, "condition", "conditions", 1)).toEqual([
      { path: ["topic"], message: "This field is required." },
    ]);
    expect(issuesBelow(issues, "condition", "conditions", "1")).toEqual([]);
  });

  test("are listed with their paths below a given one", () => {
    expect(messageAt(issues, "condition")).toBe(
      "conditions.1.topic: This field is required. conditions.10.topic: Too long.",
    );
    expect(messageAt(issues, "name")).toBe("Taken.");
    expect(messageAt(issues, "description")).toBeUndefined();
    expect(wholeMessage(issues)).toBe("Pick one.");
    expect(wholeMessage([])).toBeUndefined();
  });

  test("are grouped by top-level field for forms", () => {
    expect(messagesByField(issues)).toEqual({
      condition: "conditions.1.topic: This field is required. conditions.10.topic: Too long.",
      name: "Taken.",
      root: "Pick one.",
    });
  });

  test("of a schema keep names and positions; those of a union come from the member that matched deepest", () => {
    const schema = z.object({ list: z.array(z.union([z.string(), z.object({ at: z.object({ x: z.number() }) })])) });
    const found = toIssues(schema.safeParse({ list: ["a", { at: { x: "1" } }] }).error?.issues ?? []);
    expect(found.map(({ path }) => path)).toEqual([["list", 1, "at", "x"]]);
    expect(found.map(issueLine)[0]).toMatch(/^list\.1\.at\.x: /);
  });
});
