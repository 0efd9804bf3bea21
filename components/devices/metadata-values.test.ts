import { describe, expect, test } from "vitest";
import {
  boxText,
  convert,
  getKind,
  metadataChange,
  parseValue,
  readDrafts,
  type MetadataDraft,
} from "./metadata-values";

const row = (id: number, key: string, value: string, kind: MetadataDraft["kind"] = "text"): MetadataDraft => ({
  id,
  key,
  value,
  kind,
});

describe("editing metadata", () => {
  test.each([["berlin"], [4.5], [true], [{ lat: 52.5 }], [[1, "a"]], [""]])(
    "%j survives being opened and saved",
    (value) => {
      expect(parseValue({ value: boxText(value), kind: getKind(value) })).toEqual({ value });
    },
  );

  test("sends only what changed, and null for what was removed", () => {
    const before = { site: "berlin", slots: 4, place: { lat: 1 } };
    expect(metadataChange(before, { site: "berlin", slots: 5, armed: true })).toEqual({
      slots: 5,
      armed: true,
      place: null,
    });
    expect(metadataChange(before, { ...before })).toEqual({});
  });

  test("names the line that is wrong and why", () => {
    const { metadata, problems } = readDrafts([
      row(1, "a", "1", "number"),
      row(2, "b", "x", "number"),
      row(3, "a", "again"),
      row(4, "", "lost"),
      row(5, "c", "{", "json"),
      row(6, " ", " "),
    ]);
    expect(metadata).toEqual({ a: 1 });
    expect([...problems.keys()]).toEqual([2, 3, 4, 5]);
  });

  test("text turned into yes or no takes its value", () => {
    expect(["yes", "True", "1", "no", ""].map((text) => convert(text, "boolean"))).toEqual([
      "true",
      "true",
      "true",
      "false",
      "false",
    ]);
  });
});
