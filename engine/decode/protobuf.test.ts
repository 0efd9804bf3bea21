import fc from "fast-check";
import protobuf from "protobufjs";
import "protobufjs/ext/descriptor/index.js";
import { describe, expect, it } from "vitest";
import { createDecoder, listFields } from "@/engine/decode/decode";
import { createFieldReader, type FieldReader } from "@/engine/decode/field-reader";
import { getPayloadType } from "@/engine/decode/payload-type";
import { makeChannel as channel, expectDecodedOrRefused, plain } from "@/engine/testing/test-channels";

describe("protobuf", () => {
  const proto = protobuf.parse(
    `syntax = "proto3";
    package robot;
    enum Mode { IDLE = 0; DRIVE = 1; FAULT = -1; }
    message Leaf { double x = 1; string label = 2; }
    message State {
      double a = 1; float b = 2; int32 c = 3; int64 d = 4; uint32 e = 5; uint64 f = 6; sint32 g = 7; sint64 h = 8;
      fixed32 i = 9; fixed64 j = 10; sfixed32 k = 11; sfixed64 l = 12; bool m = 13; string n = 14; bytes o = 15;
      Mode mode = 16; Leaf leaf = 17; repeated Leaf leaves = 18; repeated double list = 19; repeated int32 ints = 20;
      map<string, int32> counts = 21; optional int32 maybe = 22; oneof one { string text = 23; int32 number = 24; }
      State child = 25;
    }`,
    { keepCase: true },
  ).root;
  proto.resolveAll();
  const State = proto.lookupType("robot.State");
  const set = (proto as unknown as { toDescriptor(syntax: string): protobuf.Message }).toDescriptor("proto3");
  const descriptor = set.$type.encode(set).finish();
  const robot = channel("protobuf", "protobuf", descriptor, "robot.State");

  it("every kind of field decodes to what was encoded, 64-bit integers exactly", () => {
    const value = {
      a: 1.5,
      b: 0.25,
      c: -3,
      d: "-9007199254740993",
      e: 4_000_000_000,
      f: "18446744073709551615",
      g: -77,
      h: "-9223372036854775808",
      i: 7,
      j: "9007199254740993",
      k: -8,
      l: "-5",
      m: true,
      n: "grün",
      o: Buffer.from([1, 2]),
      mode: -1,
      leaf: { x: 2, label: "l" },
      leaves: [{ x: 1 }, { label: "z" }],
      list: [1, 2.5],
      ints: [-1, 300],
      counts: { left: 3, right: -4 },
      maybe: 0,
      number: 0,
    };
    const decoded = createDecoder(robot).decode(State.encode(State.fromObject(value)).finish());
    expect(plain(decoded)).toEqual({
      a: 1.5,
      b: 0.25,
      c: -3,
      d: -9007199254740993n,
      e: 4_000_000_000,
      f: 18446744073709551615n,
      g: -77,
      h: -(2n ** 63n),
      i: 7,
      j: 9007199254740993n,
      k: -8,
      l: -5n,
      m: true,
      n: "grün",
      o: [1, 2],
      mode: -1,
      leaf: { x: 2, label: "l" },
      leaves: [
        { x: 1, label: "" },
        { x: 0, label: "z" },
      ],
      list: [1, 2.5],
      ints: [-1, 300],
      counts: { left: 3, right: -4 },
      maybe: 0,
      number: 0,
    });
  });

  it("absent fields are zero, except those with explicit presence", () => {
    const decoded = createDecoder(robot).decode(new Uint8Array(0)) as Record<string, unknown>;
    expect(decoded).toMatchObject({ a: 0, d: 0n, m: false, n: "", mode: 0, list: [], counts: {} });
    for (const name of ["maybe", "leaf", "text", "number", "child"]) expect(decoded).not.toHaveProperty(name);
  });

  it("fields carry kinds and enum names, and a type that contains itself is listed once", () => {
    const fields = listFields(robot);
    expect(fields).toContainEqual({ path: "mode", kind: "enum", enumValues: { 0: "IDLE", 1: "DRIVE", [-1]: "FAULT" } });
    expect(fields.map(({ path }) => path)).toEqual(expect.arrayContaining(["leaf.x", "leaf.label", "maybe", "m"]));
    expect(fields.some(({ path }) => path.startsWith("child"))).toBe(false);
  });

  it("the field reader gives numbers and the names of enum values", () => {
    const reader = createFieldReader(robot);
    reader.read(State.encode(State.create({ a: 4, mode: 1, leaf: { x: 7 }, list: [5, 6] })).finish());
    const at = (path: string) => reader.fields.findIndex((field) => field.path === path);
    expect(reader.values[at("a")]).toBe(4);
    expect(reader.values[at("leaf.x")]).toBe(7);
    expect(reader.values[at("list[1]")]).toBe(6);
    expect(reader.states[at("mode")]).toBe("DRIVE");
  });

  it("any bytes are either decoded or refused", () => {
    const decoder = createDecoder(robot);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expectDecodedOrRefused(
          () => decoder.decode(bytes),
          () => createDecoder(channel("protobuf", "protobuf", bytes, "robot.State")),
        );
      }),
      { numRuns: 500 },
    );
  });
});

describe("protobuf schemas with holes, and maps", () => {
  const root = new protobuf.Root();
  const parse = (text: string) => protobuf.parse(text, root, { keepCase: true });
  parse(`syntax = "proto3"; package google.protobuf; message Timestamp { int64 seconds = 1; int32 nanos = 2; }
    message DoubleValue { double value = 1; }
    enum NullValue { NULL_VALUE = 0; }
    message Struct { map<string, Value> fields = 1; }
    message ListValue { repeated Value values = 1; }
    message Value { oneof kind { NullValue null_value = 1; double number_value = 2; string string_value = 3;
      bool bool_value = 4; Struct struct_value = 5; ListValue list_value = 6; } }`);
  parse(`syntax = "proto3"; package other; message Gone { double x = 1; }`);
  parse(`syntax = "proto3"; package robot;
    enum Mode { IDLE = 0; DRIVE = 1; }
    message Cell { double volt = 1; uint32 id = 2; Cell inner = 3; }
    message Whole { double speed = 1; Cell cell = 2; }
    message Unused { other.Gone gone = 1; }
    message Holed { google.protobuf.Timestamp stamp = 1; double speed = 2; other.Gone gone = 3;
      repeated other.Gone more = 4; google.protobuf.DoubleValue level = 5; google.protobuf.Struct info = 6; Cell cell = 7; }
    message Maps { map<string, Cell> cells = 1; map<int32, double> temps_celsius = 2; map<string, Mode> modes = 3;
      map<bool, int64> wide = 4; map<string, string> names = 5; map<string, google.protobuf.Timestamp> times = 6;
      map<string, bytes> blobs = 7; repeated Mode list = 8; double charge = 9; }`);
  root.resolveAll();
  const set = (root as unknown as { toDescriptor(syntax: string): protobuf.Message }).toDescriptor("proto3");
  /** The schema of a type, without the files of the other packages. */
  const describeType = (name: string) => {
    const { file } = set as unknown as { file: { package: string }[] };
    const own = file.filter((each) => each.package === "robot");
    return channel("protobuf", "protobuf", set.$type.encode(set.$type.create({ file: own })).finish(), name);
  };
  const encode = (name: string, value: object): Uint8Array => {
    const type = root.lookupType(name);
    return type.encode(type.fromObject(value)).finish();
  };
  const values = (reader: FieldReader): Record<string, unknown> =>
    Object.fromEntries(
      reader.fields.flatMap(({ path, kind }, slot) => {
        const value = kind === "number" ? reader.values[slot]! : reader.states[slot];
        return value === undefined || Number.isNaN(value) ? [] : [[path, value]];
      }),
    );

  it("a type that is missing elsewhere in the schema does not matter", () => {
    const whole = describeType("robot.Whole");
    const value = { speed: 2, cell: { volt: 3.5, id: 4 } };
    expect(createDecoder(whole).decode(encode("robot.Whole", value))).toMatchObject(value);
    expect(getPayloadType(whole)).toMatchObject({ unread: null });
  });

  it("a missing type costs its fields alone, and those of protobuf's own library are known", () => {
    const holed = describeType("robot.Holed");
    const info = { fields: { a: { number_value: 1.5 }, b: { list_value: { values: [{ bool_value: true }] } } } };
    const value = { stamp: { seconds: 5, nanos: 6 }, speed: 2, gone: { x: 1 }, more: [{ x: 2 }], level: { value: 7 } };
    const data = encode("robot.Holed", { ...value, info, cell: { volt: 1 } });
    expect(plain(createDecoder(holed).decode(data))).toEqual({
      stamp: { sec: 5, nsec: 6 },
      speed: 2,
      gone: [0x09, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f],
      more: [[0x09, 0, 0, 0, 0, 0, 0, 0, 0x40]],
      level: { value: 7 },
      info,
      cell: { volt: 1, id: 0 },
    });
    expect(listFields(holed).map(({ path }) => path)).toEqual([
      "stamp",
      "speed",
      "level.value",
      "cell.volt",
      "cell.id",
    ]);
    expect(getPayloadType(holed)).toMatchObject({
      unread:
        '"gone" of "robot.Holed" is of the type "other.Gone", "more" of "robot.Holed" is of the type "other.Gone"; the schema does not define it.',
    });
    const reader = createFieldReader(holed);
    reader.read(data);
    expect(values(reader)).toMatchObject({
      speed: 2,
      "level.value": 7,
      "cell.volt": 1,
      "info.fields.a.number_value": 1.5,
    });
  });

  it("values of maps are fields by their keys, in the order in which these appear", () => {
    const maps = describeType("robot.Maps");
    const reader = createFieldReader(maps);
    reader.read(encode("robot.Maps", { cells: { b: { volt: 3 } }, temps_celsius: { 7: 20.5 }, list: [1] }));
    reader.read(
      encode("robot.Maps", {
        cells: { a: { volt: 1, id: 2 }, b: { volt: 4 }, "odd key": {} },
        temps_celsius: { [-5]: 1, 7: 21 },
        modes: { left: 1 },
        wide: { true: "9007199254740993" },
        names: { x: "y" },
        times: { t: { seconds: 1 } },
        blobs: { z: Buffer.from([1]) },
      }),
    );
    expect(reader.fields.slice(0, 6)).toEqual([
      { path: "cells.b.volt", kind: "number" },
      { path: "cells.b.id", kind: "number" },
      { path: 'temps_celsius["7"]', kind: "number", unit: "°C" },
      { path: "list[0]", kind: "enum", enumValues: { 0: "IDLE", 1: "DRIVE" } },
      { path: "charge", kind: "number" },
      { path: "cells.a.volt", kind: "number" },
    ]);
    expect(values(reader)).toEqual({
      "cells.a.volt": 1,
      "cells.a.id": 2,
      "cells.b.volt": 4,
      "cells.b.id": 0,
      'cells["odd key"].volt': 0,
      'cells["odd key"].id': 0,
      'temps_celsius["7"]': 21,
      'temps_celsius["-5"]': 1,
      "modes.left": "DRIVE",
      "wide.true": 9_007_199_254_740_992,
      "names.x": "y",
      charge: 0,
    });
  });

  it("keys of maps that never repeat do not accumulate", () => {
    const reader = createFieldReader(describeType("robot.Maps"));
    for (let i = 0; i < 3000; i++) reader.read(encode("robot.Maps", { cells: { [`id_${i}`]: { volt: i } } }));
    expect(reader.fields.length).toBeLessThanOrEqual(500);
  });

  it("an entry of a map that leaves out its key or value has their defaults", () => {
    const decode = (...bytes: number[]) => createDecoder(describeType("robot.Maps")).decode(Buffer.from(bytes));
    expect(decode(0x0a, 0)).toMatchObject({ cells: { "": { volt: 0, id: 0 } } });
    expect(decode(0x12, 2, 0x08, 7)).toMatchObject({ temps_celsius: { 7: 0 } });
  });
});
