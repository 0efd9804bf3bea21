import { expect, test } from "vitest";
import { parseMetadataValue, toMetadataText } from "./metadata-value";

test.each([
  ["5", 5],
  [" -1.5 ", -1.5],
  ["true", true],
  ["rain", "rain"],
  ["truly", "truly"],
  ['"5"', "5"],
  ["5 m", "5 m"],
  ["[1, 2]", [1, 2]],
  ['{"a": 1}', { a: 1 }],
  ["{broken", "{broken"],
  ["12345678901234567890", "12345678901234567890"],
])("%j means %j", (text, value) => expect(parseMetadataValue(text)).toEqual(value));

test.each([
  "fog",
  "12 cm",
  " fog ",
  "5",
  "true",
  '"',
  '"quoted"',
  "[1]",
  "0042",
  12.5,
  1763980000.1234567,
  true,
  [1, 2],
  { a: 1 },
])("%j is typed as it is read", (value) => expect(parseMetadataValue(toMetadataText(value))).toEqual(value));
