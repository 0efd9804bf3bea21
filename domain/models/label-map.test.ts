import { expect, test } from "vitest";
import { formatLabelMap, parseLabelMap } from "@/domain/models/label-map";

test("a map is written a line a label, and read back", () => {
  const map = { forklift: "truck", shadow: "" };
  expect(formatLabelMap(map)).toBe("forklift = truck\nshadow =");
  expect(parseLabelMap(formatLabelMap(map))).toEqual({ map });
  expect(parseLabelMap("\n a=b \n\n")).toEqual({ map: { a: "b" } });
  expect(parseLabelMap("")).toEqual({ map: {} });
});

test.each([
  ["car", "Line 1: write the model's name, = and the label."],
  ["a = b\n= c", "Line 2: write the model's name, = and the label."],
  ["a = b\na = c", "Line 2: a is there already."],
  [`a = ${"b".repeat(101)}`, "Line 1: a name has at most 100 characters."],
  [Array.from({ length: 501 }, (_, at) => `${at} = x`).join("\n"), "A map has at most 500 labels."],
])("what is no map is explained: %j", (text, problem) => {
  expect(parseLabelMap(text)).toEqual({ problem });
});
