import fc from "fast-check";
import protobuf from "protobufjs";
import "protobufjs/ext/descriptor/index.js";
import { describe, expect, it } from "vitest";
import { makeColumns, STRIDE, type Columns } from "@/engine/columns/column-batch";
import { planExtract, type ColumnPlan } from "@/engine/columns/plan";
import { createFieldReader, type FieldReader } from "@/engine/decode/field-reader";
import { RecordingError } from "@/engine/formats/recording-error";
import { makeChannel } from "@/engine/testing/test-channels";
import { countShare } from "@/server/testing/generated-cases";

const proto = protobuf.parse(
  `syntax = "proto3";
  package robot;
  enum Mode { IDLE = 0; DRIVE = 1; FAULT = -1; }
  message Leaf { double x = 1; string label = 2; optional int32 count = 3; Deep deep = 4; }
  message Deep { float y = 1; bool on = 2; Mode mode = 3; }
  message State {
    double a = 1; float b = 2; int32 c = 3; int64 d = 4; uint32 e = 5; uint64 f = 6; sint32 g = 7; sint64 h = 8;
    fixed32 i = 9; fixed64 j = 10; sfixed32 k = 11; sfixed64 l = 12; bool m = 13; string n = 14; bytes o = 15;
    Mode mode = 16; Leaf leaf = 17; repeated bytes parts = 18; map<string, bytes> blobs = 21;
    optional int32 maybe = 22; oneof one { string text = 23; int32 number = 24; } State child = 25;
  }
  message Lists { repeated double list = 1; }
  message Structs { repeated Leaf leaves = 1; double last = 2; }
  message Maps { double charge = 1; map<string, int32> counts = 2; }`,
  { keepCase: true },
).root;
proto.resolveAll();
const State = proto.lookupType("robot.State");
const set = (proto as unknown as { toDescriptor(syntax: string): protobuf.Message }).toDescriptor("proto3");
const descriptor = set.$type.encode(set).finish();
const state = makeChannel("protobuf", "protobuf", descriptor, "robot.State");

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
  leaf: { x: 2, label: "l", deep: { y: 0.5, mode: 1 } },
  parts: [Buffer.from([4])],
  blobs: { left: Buffer.from([3]) },
  number: 0,
  child: { a: 3, leaf: { x: 4 } },
};
const encode = (message: object): Uint8Array => State.encode(State.fromObject(message)).finish();

/** The values of one message by path, as a row of columns has them; null where it cannot be read. */
function fromColumns({ slots, extract }: ColumnPlan, columns: Columns, data: Uint8Array): Map<string, unknown> | null {
  // Bytes before and behind the message, as in a chunk.
  const bytes = Buffer.concat([Buffer.from([255, 255]), data, Buffer.alloc(20, 255)]);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const placed = { view, bytes, starts: Int32Array.of(2), ends: Int32Array.of(2 + data.length) };
  if (extract(placed, 0, 1, columns) === 0) return null;
  const found = new Map<string, unknown>();
  for (const [slot, { field, holds }] of slots.entries()) {
    const number = columns.values[slot * STRIDE]!;
    if (Number.isNaN(number)) continue;
    const shown = holds === "text" ? columns.texts.lists[slot]![number] : holds === "boolean" ? number !== 0 : number;
    found.set(field.path, field.kind === "enum" ? (field.enumValues?.[number] ?? number) : shown);
  }
  return found;
}

/** The same by the reader of single messages. */
function fromReader(reader: FieldReader, data: Uint8Array): Map<string, unknown> | null {
  try {
    reader.read(data);
  } catch (error) {
    if (error instanceof RecordingError) return null;
    throw error;
  }
  const found = new Map<string, unknown>();
  for (const [slot, { path, kind }] of reader.fields.entries()) {
    const read = kind === "number" ? reader.values[slot] : reader.states[slot];
    if (read !== undefined && !Number.isNaN(read)) found.set(path, read);
  }
  return found;
}

const sorted = (values: Map<string, unknown> | null): unknown[] | null =>
  values && [...values].sort(([a], [b]) => (a < b ? -1 : 1));

describe("columns of protobuf", () => {
  const plan = planExtract(state, true)!;
  const columns = makeColumns(plan.slots);
  const reader = createFieldReader(state);
  const compare = (data: Uint8Array): unknown[] | null => {
    const found = sorted(fromColumns(plan, columns, data));
    expect(found).toEqual(sorted(fromReader(reader, data)));
    return found;
  };

  it("hold what single messages hold, absent ones and parts of messages included", () => {
    const all = compare(encode(value));
    expect(all).toContainEqual(["leaf.deep.mode", "DRIVE"]);
    expect(all).toContainEqual(["n", "grün"]);
    expect(compare(encode({}))).not.toEqual([]);
    for (const key of Object.keys(value) as (keyof typeof value)[]) compare(encode({ [key]: value[key] }));
    // The last of two messages in one field counts, as a whole.
    compare(Buffer.concat([encode(value), encode({ leaf: { label: "second" } })]));
    // A group that nobody defined, with another in it.
    expect(compare(Buffer.from([0xfb, 1, 0x0b, 0x08, 1, 0x0c, 0xfc, 1, 0x18, 5]))).toContainEqual(["c", 5]);
  });

  it("are read alike whether or not rules ask for more of a message, damage included", () => {
    const plain = createFieldReader(state);
    const shared = createFieldReader(state);
    shared.objects!.keep(new Set(["child", "o", "leaf"]));
    const whole = encode(value);
    const agree = (data: Uint8Array): void =>
      expect(sorted(fromReader(shared, data))).toEqual(sorted(fromReader(plain, data)));
    agree(whole);
    expect(shared.objects!.decoded).toMatchObject({ child: { a: 3, leaf: { x: 4 } }, leaf: { deep: { mode: 1 } } });
    // A message of which nothing is a field, damaged within.
    const damaged = Buffer.concat([whole, Buffer.from([0xca, 1, 2, 0x09, 1])]);
    agree(damaged);
    expect(fromReader(shared, damaged)).not.toBeNull();
    expect(shared.objects!.decoded).toBeUndefined();
    for (let at = 0; at < whole.length; at++) {
      const bytes = Buffer.from(whole);
      bytes[at] = bytes[at]! ^ 0x11;
      agree(bytes);
    }
  });

  it("refuse what single messages refuse", () => {
    // A known field of another wire type, a group without an end, a text longer than its message, a tag cut off.
    for (const bytes of [[0x0d, 1, 2, 3, 4], [0xfb, 1, 0x08, 1], [0x72, 200, 1, 65], [0x80], [0x18]])
      expect(compare(Buffer.from(bytes))).toBeNull();
  });

  it("agree with single messages for damaged ones", () => {
    const whole = encode(value);
    const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), fc.nat(whole.length), (changes, length) => {
        const bytes = Buffer.from(whole);
        for (const [at, byte] of changes) bytes[at] = byte;
        compare(bytes);
        compare(bytes.subarray(0, length));
      }),
      { numRuns: countShare(3_000), seed: 7 },
    );
  });

  it("are not planned for lists and maps, nor where functions cannot be generated", () => {
    for (const name of ["robot.Lists", "robot.Structs", "robot.Maps"])
      expect(planExtract(makeChannel("protobuf", "protobuf", descriptor, name), true)).toBeNull();
    expect(planExtract(state, false)).toBeNull();
  });
});
