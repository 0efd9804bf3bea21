import fc from "fast-check";
import protobuf from "protobufjs";
import "protobufjs/ext/descriptor/index.js";
import { describe, expect, it } from "vitest";
import { createDecoder, listFields } from "@/engine/decode/decode";
import { createFieldReader } from "@/engine/decode/field-reader";
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
