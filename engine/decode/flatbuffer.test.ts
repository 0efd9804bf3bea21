import { Builder } from "flatbuffers";
import { describe, expect, it } from "vitest";
import { createDecoder, listFields } from "@/engine/decode/decode";
import { createFieldReader } from "@/engine/decode/field-reader";
import { FlatBase } from "@/engine/decode/schemas/flatbuffer-type";
import type { Channel } from "@/engine/formats/recording";
import { createSignalReader } from "@/engine/signals/signal-reader";
import { writeFlatSchema, type SchemaSpec } from "@/engine/testing/write-flatbuffer";

const of = (base: keyof typeof FlatBase) => ({ base: FlatBase[base] });
const toListType = (element: keyof typeof FlatBase, index?: number) => ({
  base: FlatBase.vector,
  element: FlatBase[element],
  ...(index === undefined ? {} : { index }),
});
const object = (index: number) => ({ base: FlatBase.object, index });
const [TIME, STATE, NOTE] = [1, 0, 2];

const spec: SchemaSpec = {
  objects: [
    {
      name: "robot.State",
      fields: [
        { name: "stamp", type: object(TIME), offset: 4 },
        { name: "speed", type: of("double"), offset: 6 },
        { name: "level", type: of("float"), offset: 8, real: 0.5 },
        { name: "ticks", type: of("ulong"), offset: 10 },
        { name: "armed", type: of("bool"), offset: 12, integer: 1n },
        { name: "mode", type: { ...of("byte"), index: 0 }, offset: 14 },
        { name: "name", type: of("string"), offset: 16 },
        { name: "ranges", type: toListType("float"), offset: 18 },
        { name: "image", type: toListType("ubyte"), offset: 20 },
        { name: "notes", type: toListType("object", NOTE), offset: 22 },
        { name: "stamps", type: toListType("object", TIME), offset: 24 },
        { name: "detail_type", type: { ...of("unionType"), index: 1 }, offset: 26 },
        { name: "detail", type: { ...of("union"), index: 1 }, offset: 28 },
        { name: "gone", type: of("int"), offset: 30, deprecated: true },
        { name: "maybe", type: of("int"), offset: 32, optional: true },
      ],
    },
    {
      name: "robot.Time",
      isStruct: true,
      bytes: 8,
      fields: [
        { name: "sec", type: of("uint"), offset: 0 },
        { name: "nsec", type: of("uint"), offset: 4 },
      ],
    },
    {
      name: "robot.Note",
      fields: [
        { name: "text", type: of("string"), offset: 4 },
        { name: "above", type: object(NOTE), offset: 6 },
        { name: "below", type: toListType("object", NOTE), offset: 8 },
      ],
    },
  ],
  enums: [
    {
      name: "robot.Mode",
      values: [
        { name: "IDLE", value: 0n },
        { name: "RUN", value: 3n },
      ],
    },
    {
      name: "robot.Detail",
      isUnion: true,
      values: [
        { name: "NONE", value: 0n, type: of("none") },
        { name: "Note", value: 1n, type: object(NOTE) },
      ],
    },
  ],
  root: STATE,
};

const channel = (schema = writeFlatSchema(spec), schemaName = "robot.State"): Channel => ({
  id: 1,
  topic: "/state",
  messageEncoding: "flatbuffer",
  schemaName,
  schemaEncoding: "flatbuffer",
  schemaData: schema,
});

function addTime(builder: Builder, sec: number, nsec: number): number {
  builder.prep(4, 8);
  builder.writeInt32(nsec);
  builder.writeInt32(sec);
  return builder.offset();
}

function note(builder: Builder, text: string, above = 0): number {
  const own = builder.createString(text);
  builder.startObject(2);
  builder.addFieldOffset(0, own, 0);
  if (above !== 0) builder.addFieldOffset(1, above, 0);
  return builder.endObject();
}

function whole(): Uint8Array {
  const builder = new Builder(64);
  const name = builder.createString("arm-é");
  builder.startVector(4, 2, 4);
  builder.addFloat32(2.5);
  builder.addFloat32(1.5);
  const ranges = builder.endVector();
  builder.startVector(1, 3, 1);
  for (const byte of [3, 2, 1]) builder.addInt8(byte);
  const image = builder.endVector();
  const notes = [note(builder, "first"), note(builder, "second")];
  builder.startVector(4, 2, 4);
  for (const each of notes.toReversed()) builder.addOffset(each);
  const list = builder.endVector();
  builder.startVector(8, 2, 4);
  addTime(builder, 7, 8);
  addTime(builder, 5, 6);
  const stamps = builder.endVector();
  const detail = note(builder, "inner", note(builder, "outer"));
  builder.startObject(15);
  builder.addFieldStruct(0, addTime(builder, 100, 200), 0);
  builder.addFieldFloat64(1, 1.25, 0);
  builder.addFieldInt64(3, BigInt.asIntN(64, 18_446_744_073_709_551_615n), 0n);
  builder.addFieldInt8(5, 3, 0);
  builder.addFieldOffset(6, name, 0);
  builder.addFieldOffset(7, ranges, 0);
  builder.addFieldOffset(8, image, 0);
  builder.addFieldOffset(9, list, 0);
  builder.addFieldOffset(10, stamps, 0);
  builder.addFieldInt8(11, 1, 0);
  builder.addFieldOffset(12, detail, 0);
  builder.finish(builder.endObject());
  return builder.asUint8Array();
}

describe("FlatBuffers", () => {
  it("are decoded with their defaults, structs, lists and unions", () => {
    const value = createDecoder(channel()).decode(whole());
    expect(value).toEqual({
      stamp: { sec: 100, nsec: 200 },
      speed: 1.25,
      level: 0.5,
      ticks: 18_446_744_073_709_551_615n,
      armed: true,
      mode: 3,
      name: "arm-é",
      ranges: [1.5, 2.5],
      image: Uint8Array.of(1, 2, 3),
      notes: [{ text: "first" }, { text: "second" }],
      stamps: [
        { sec: 5, nsec: 6 },
        { sec: 7, nsec: 8 },
      ],
      detail_type: 1,
      detail: { text: "inner", above: { text: "outer" } },
    });
    expect(createDecoder(channel(), { only: new Set(["name"]) }).decode(whole())).toEqual({ name: "arm-é" });
  });

  it("have the fields of their schema, with the names of enums", () => {
    expect(listFields(channel()).map(({ path, kind }) => [path, kind])).toEqual([
      ["stamp", "time"],
      ["speed", "number"],
      ["level", "number"],
      ["ticks", "number"],
      ["armed", "boolean"],
      ["mode", "enum"],
      ["name", "string"],
      ["detail_type", "enum"],
      ["maybe", "number"],
    ]);
    const reader = createFieldReader(channel());
    reader.read(whole());
    const states = Object.fromEntries(reader.fields.map(({ path }, slot) => [path, reader.states[slot]]));
    expect(states).toMatchObject({ mode: "RUN", armed: true, name: "arm-é" });
    expect(reader.values[reader.fields.findIndex(({ path }) => path === "ranges[1]")]).toBe(2.5);
  });

  it("have signals of the types of their schema", () => {
    const reader = createSignalReader(channel());
    reader.read(whole());
    const types = Object.fromEntries(reader.fields.map(({ path, type }) => [path, type]));
    expect(types).toMatchObject({
      speed: "float64",
      level: "float32",
      ticks: "uint64",
      armed: "bool",
      mode: "enum",
      name: null,
      "ranges[0]": "float32",
    });
    expect(reader.wide[reader.fields.findIndex(({ path }) => path === "ticks")]).toBe(18_446_744_073_709_551_615n);
  });

  it("are refused where they are damaged, and never take long", () => {
    const decoder = createDecoder(channel());
    const bytes = whole();
    let refused = 0;
    for (let at = 0; at < bytes.length; at++) {
      for (const byte of [0, 1, 0x7f, 0xff]) {
        const damaged = Uint8Array.from(bytes);
        damaged[at] = byte;
        try {
          decoder.decode(damaged);
        } catch (error) {
          refused += 1;
          expect(error).toMatchObject({ name: "RecordingError" });
        }
      }
      // The last four bytes end and pad a text.
      if (at < bytes.length - 4) expect(() => decoder.decode(bytes.subarray(0, at))).toThrow("A message");
    }
    expect(refused).toBeGreaterThan(50);
  });

  it("that share tables without end are refused", () => {
    const builder = new Builder(64);
    let inner = note(builder, "innermost");
    for (let level = 0; level < 10; level++) {
      builder.startVector(4, 16, 4);
      for (let n = 0; n < 16; n++) builder.addOffset(inner);
      const list = builder.endVector();
      builder.startObject(3);
      builder.addFieldOffset(2, list, 0);
      inner = builder.endObject();
    }
    builder.startObject(15);
    builder.addFieldInt8(11, 1, 0);
    builder.addFieldOffset(12, inner, 0);
    builder.finish(builder.endObject());
    expect(() => createDecoder(channel()).decode(builder.asUint8Array())).toThrow("A message has too many values.");
  });

  it("need a schema with their table", () => {
    expect(() => createDecoder(channel(writeFlatSchema({ ...spec, root: undefined as never }), "x.Y"))).toThrow(
      'The FlatBuffers schema has no table "x.Y"',
    );
    const schema = writeFlatSchema(spec);
    for (const length of [0, 3, 40, schema.length - 30])
      expect(() => createDecoder(channel(schema.slice(0, length)))).toThrow(/^The FlatBuffers schema|^The schema/);
  });
});
