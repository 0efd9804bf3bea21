import { expect, test } from "vitest";
import { fitAttributeValue } from "./attribute-values";

test.each([
  ["select", "red", "red"],
  ["select", " red ", "red"],
  ["select", "pink", undefined],
  ["multi", ["red", "two words"], ["red", "two words"]],
  ["multi", "red, two words", ["red", "two words"]],
  ["multi", "red, pink", undefined],
  ["boolean", true, true],
  ["boolean", "False", false],
  ["boolean", 1, true],
  ["boolean", "maybe", undefined],
  ["number", "3.5", 3.5],
  ["number", 4, 4],
  ["number", "", undefined],
  ["number", "NaN", undefined],
  ["text", 7, "7"],
  ["text", { a: 1 }, undefined],
] as const)("as %s %j becomes %j", (kind, value, expected) => {
  expect(fitAttributeValue(value, { kind, options: ["red", "two words"] })).toEqual(expected);
});
