import { expect, test } from "vitest";
import { listMetadataRows, parseMetadataValue, toMetadataText } from "./metadata-value";

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

test("nested values are rows, named as filters name them", () => {
  const metadata = {
    weather: "rain",
    camera: { name: "cam3", lens: { mm: 8 } },
    k: [1, 0, 2],
    points: [{ x: 1 }, { x: 2 }],
    none: {},
    gone: null,
  };
  expect(listMetadataRows(metadata)).toEqual({
    rows: [
      ["weather", "rain"],
      ["camera.name", "cam3"],
      ["camera.lens.mm", 8],
      ["k", [1, 0, 2]],
      ["points.0.x", 1],
      ["points.1.x", 2],
      ["none", {}],
      ["gone", null],
    ],
    more: 0,
  });
});

test("of very many values the first are rows, and the others are counted", () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`key${at}`, at]));
  const { rows, more } = listMetadataRows({ nested: many });
  expect([rows.length, rows[0], more]).toEqual([80, ["nested.key0", 0], 20]);
});
