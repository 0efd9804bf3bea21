import { describe, expect, test } from "vitest";
import type { FieldMode } from "@/domain/conditions/operators";
import { SampleCollector } from "@/engine/rules/columns";
import { compileField } from "@/engine/rules/field";
import { topLevel } from "@/engine/rules/leaves";

const message = {
  data: { value: 7, none: null },
  position: [10, 20, 30, 40],
  matrix: [
    [1, 2],
    [3, 4],
  ],
  ranges: new Float32Array([0.5, 1.5, 2.5]),
  "odd.key": { "with space": 1 },
  empty: [],
  points: [{ x: 1 }, { y: 9 }, { x: 3 }, { x: null }],
  status: [
    { name: "battery", level: 0, values: [{ key: "volt", value: "12.5" }] },
    {
      name: "motor",
      level: 2,
      values: [
        { key: "temp", value: "85.5" },
        { key: "temp", value: "91" },
        { key: 'a "b"', value: "1" },
      ],
    },
  ],
};

const read = (field: string, mode: FieldMode = "any", topic = "/topic") => {
  const value = compileField(field, topic, mode)(message);
  return Array.isArray(value) ? [...(value as unknown[])] : value;
};

describe("a field path", () => {
  test.each([
    ["data.value", 7],
    ["/topic.data.value", 7],
    ["position[0]", 10],
    ["position[-1]", 40],
    ["position[4]", undefined],
    ["position[-5]", undefined],
    ["matrix[1][0]", 3],
    ["ranges[1]", 1.5],
    ['["odd.key"]["with space"]', 1],
    ["['odd.key'].with space", 1],
    ["data.none", undefined],
    ["data.missing", undefined],
    ["data.value.deeper", undefined],
    ["nothing.at.all", undefined],
    ["toString", undefined],
    ["status[1].name", "motor"],
  ])("%s reads one value", (field, expected) => {
    expect(read(field)).toEqual(expected);
  });

  test.each([
    ["points[:].x", [1, undefined, 3, undefined]],
    ["points[:].y", [undefined, 9, undefined, undefined]],
    ["status[:].values[0].key", ["volt", "temp"]],
    ['status[:].values{key=="temp"}.value', [undefined, "85.5", "91"]],
    ['status[:].values{key=="volt"}.value', ["12.5", undefined]],
    ["status[:].name[:]", undefined],
  ])("%s leaves empty places where values are missing, with keepsPlaces", (field, expected) => {
    const value = compileField(field, "/topic", "any", true)(message);
    expect(Array.isArray(value) ? [...(value as unknown[])] : value).toEqual(expected);
  });

  test.each([
    ["position", [10, 20, 30, 40]],
    ["position[:]", [10, 20, 30, 40]],
    ["position[1:2]", [20, 30]],
    ["position[-2:-1]", [30, 40]],
    ["position[2:]", [30, 40]],
    ["position[:1]", [10, 20]],
    ["position[3:99]", [40]],
    ["matrix[:][0]", [1, 3]],
    ["matrix[:]", [1, 2, 3, 4]],
    ["points[:].x", [1, 3]],
    ["status[:].level", [0, 2]],
    ['status[:].values{key=="temp"}.value', ["85.5", "91"]],
    ["status[:].values{key=='volt'}.value", ["12.5"]],
    ['status[:].values{key=="a \\"b\\""}.value', ["1"]],
    ['status{name=="motor"}{level>=2}.name', ["motor"]],
    ["status[:]{ level != 0 }.values[0].value", ["85.5"]],
    ['status{values[0].key=="volt"}.name', ["battery"]],
  ])("%s reads many values", (field, expected) => {
    expect(read(field)).toEqual(expected);
  });

  test.each([
    "empty",
    "empty[:]",
    'status[:].values{key=="rpm"}.value',
    "position[9:]",
    "data.none[:]",
    "missing[:].x",
  ])("%s reads nothing", (field) => {
    expect(read(field)).toBeUndefined();
  });

  test.each(["nsec", "nanosec"])("reads the nanoseconds of a time by either name, here stored as %s", (stored) => {
    const stamped = { stamp: { sec: 3, [stored]: 4 }, list: [{ stamp: { sec: 3, [stored]: 4 } }] };
    for (const name of ["nsec", "nanosec"]) {
      expect(compileField(`stamp.${name}`, "/t")(stamped)).toBe(4);
      expect(compileField(`list[:].stamp.${name}`, "/t")(stamped)).toEqual([4]);
    }
    expect(compileField("stamp.nanos", "/t")(stamped)).toBeUndefined();
    expect([...topLevel([["nsec"]])!]).toContain("nanosec");
    const collector = new SampleCollector([["stamp", "nsec"]]);
    collector.add(1n, stamped);
    collector.finish().replay(0, 1, (_, value) => expect(compileField("stamp.nsec", "/t")(value)).toBe(4));
    expect.assertions(7);
  });

  test("drops a leading topic only when it is the condition's own", () => {
    expect(compileField("data.value", "data")(message)).toBe(7);
    expect(() => compileField("/other.data", "/topic")).toThrow(/another topic/);
  });

  test.each([
    ["min", 10],
    ["max", 40],
    ["mean", 25],
    ["count", 4],
  ] as const)("of many values has a %s", (mode, expected) => {
    expect(read("position[:]", mode)).toBe(expected);
  });

  test("counts none where the list is empty, and is undefined where there is no list", () => {
    expect(read("empty[:]", "count")).toBe(0);
    expect(read('status[:].values{key=="rpm"}.value', "count")).toBe(0);
    expect(read("missing[:]", "count")).toBeUndefined();
    expect(read("empty[:]", "max")).toBeUndefined();
  });

  test("has no extreme and no mean when a value is NaN", () => {
    const values = compileField("v", "/t", "max")({ v: [1, NaN] });
    expect(values).toBeNaN();
    expect(compileField("v", "/t", "mean")({ v: [1, NaN] })).toBeNaN();
  });

  test("keeps the digits of 64-bit extremes", () => {
    const v = [9007199254740993n, 9007199254740992n];
    expect(compileField("v", "/t", "max")({ v })).toBe(9007199254740993n);
    expect(compileField("v", "/t", "min")({ v })).toBe(9007199254740992n);
  });
});
