import { describe, expect, it } from "vitest";
import { toFilter, filterProblem, parseLines } from "./metadata-filter";

const line = (key: string, value: string, operator: "is" | "has" = "is") => ({ id: 0, key, value, operator });

describe("a filter built of lines", () => {
  it("nests by dots, reads values as JSON where they are that, and joins lines below one key", () => {
    expect(
      toFilter([line("value.max", "80"), line("value.unit", "°C"), line("armed", "true"), line("serial", '"42"')]),
    ).toBe('{"value":{"max":80,"unit":"°C"},"armed":true,"serial":"42"}');
    expect(toFilter([line("codes", "7", "has"), line("codes", "9", "has")])).toBe('{"codes":[7,9]}');
  });

  it("leaves out lines without key or value", () => {
    expect(toFilter([line("", "1"), line("a", " ")])).toBeNull();
  });

  it("converts back to lines, or to null when it cannot", () => {
    for (const filter of ['{"value":{"max":80},"armed":true,"serial":"42","name":"x y"}', '{"codes":[7,"a"]}']) {
      const lines = parseLines(filter);
      expect(toFilter((lines ?? []).map((each) => ({ ...each, id: 0 })))).toBe(filter);
    }
    for (const filter of ['{"a":[{"b":1}]}', '{"a.b":1}', "[]", "nonsense", '{"a":{}}'])
      expect(parseLines(filter)).toBeNull();
  });

  it("never reaches into an object's own prototype", () => {
    expect(toFilter([line("__proto__.polluted", "1")])).toBeNull();
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("reports what is wrong with one written by hand", () => {
    expect(filterProblem('{"a": 1}')).toBeNull();
    expect(filterProblem("[1]")).toMatch(/object/);
    expect(filterProblem("{a: 1}")).toMatch(/double quotes/);
  });
});
