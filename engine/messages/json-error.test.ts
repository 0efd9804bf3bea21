import { expect, test } from "vitest";
import { findJsonError } from "@/engine/messages/json-error";

test.each([
  ["{broken", 1],
  ["", 0],
  ["  ", 2],
  ['{"a": 1,}', 8],
  ['{"a" 1}', 5],
  ["[1, 2", 5],
  ["[1 2]", 3],
  ["[1}", 2],
  ['{"a": tru}', 6],
  ['{"a": 01}', 6],
  ['{"a": 1.}', 6],
  ['["a\nb"]', 1],
  ['["\\x"]', 1],
  ['["unfinished', 1],
  ['{"type": "Point"} x', 18],
  ["{1: 2}", 1],
])("%s stops being JSON at %i", (text, at) => expect(findJsonError(text)).toBe(at));

test("what comes before is read as JSON reads it", () => {
  const whole = JSON.stringify(
    { type: "Feature", list: [1, -2.5e-7, true, null, '"\\\u0001'], empty: {}, none: [] },
    null,
    2,
  );
  expect(() => void JSON.parse(whole)).not.toThrow();
  expect(findJsonError(whole)).toBe(whole.length);
  // Cut anywhere, it ends in the token that the cut is in, or at the cut.
  for (let at = 1; at < whole.length; at++) expect(findJsonError(whole.slice(0, at))).toBeLessThanOrEqual(at);
});

test("long texts and deep nesting take no stack and no time", () => {
  const long = `{"a": "${"x".repeat(5_000_000)}", !`;
  expect(findJsonError(long)).toBe(long.length - 1);
  expect(findJsonError(`"${"x".repeat(5_000_000)}`)).toBe(0);
  expect(findJsonError("[".repeat(1_000_000))).toBe(1_000_000);
});
