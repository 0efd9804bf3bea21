import { expect, test } from "vitest";
import { parseMetadataValue } from "./metadata-value";

test.each([
  ["5", 5],
  [" -1.5 ", -1.5],
  ["true", true],
  ["rain", "rain"],
  ['"5"', "5"],
  ["5 m", "5 m"],
  ["1234567890123456", "1234567890123456"],
])("%j means %j", (text, value) => expect(parseMetadataValue(text)).toBe(value));
