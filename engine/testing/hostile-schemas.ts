import fc from "fast-check";
import protobuf from "protobufjs";
import "protobufjs/ext/descriptor/index.js";
import { FlatBase } from "@/engine/decode/schemas/flatbuffer-type";
import type { Channel } from "@/engine/formats/recording";
import { makeChannel } from "@/engine/testing/test-channels";
import { writeFlatSchema } from "@/engine/testing/write-flatbuffer";

/** A field of a hostile type: of another type by its number, or of a scalar; "open" for a list of unknown length. */
interface HostileField {
  of: number | "number" | "string";
  array: number | "open" | null;
}

/** Types by number, the first of them the message's own. */
export type HostileTypes = HostileField[][];

/** Levels of types, each with as many references of the next; the last of them has the fields of `last`. */
export const repeatedTypes = (levels: number, references: number, last: HostileField[]): HostileTypes => [
  ...Array.from({ length: levels }, (_, level) =>
    Array.from({ length: references }, () => ({ of: level + 1, array: null })),
  ),
  last,
];

/** Types that all name each other. */
export const entangledTypes = (count: number): HostileTypes =>
  Array.from({ length: count }, () => Array.from({ length: count }, (_, of) => ({ of, array: null })));

export const languages = ["ros1msg", "ros2msg", "ros2idl", "omgidl", "protobuf", "flatbuffer", "jsonschema"] as const;
type Language = (typeof languages)[number];

/** Longest text of a schema. */
const maxText = 64 * 1024;

const array = fc.oneof(
  { weight: 6, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom<HostileField["array"]>("open", 0, 1, 2, 16, 17, 1000, 65_535) },
);
const leaf = fc.constantFrom<HostileField["of"]>("number", "string");

/**
 * Types in levels, each level with some references of the next: few or many, in lists or not, with scalars beside them
 * or none, with nothing at the end, leading back above, skipping levels, or long chains.
 */
export const hostileTypes: fc.Arbitrary<HostileTypes> = fc
  .record({
    levels: fc.oneof(fc.integer({ min: 1, max: 33 }), fc.constantFrom(15, 16, 17, 30, 31, 400)),
    references: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom(16, 60, 300)),
    lists: fc.array(array, { minLength: 1, maxLength: 4 }),
    beside: fc.array(leaf, { maxLength: 2 }),
    end: fc.array(leaf, { maxLength: 3 }),
    back: fc.option(fc.nat(3), { freq: 6 }),
    skips: fc.boolean(),
  })
  .map(({ levels, references, lists, beside, end, back, skips }) =>
    Array.from({ length: levels + 1 }, (_, level): HostileField[] => {
      const list = (n: number): HostileField["array"] => lists[(level + n) % lists.length]!;
      if (level === levels) {
        const again = back === null ? [] : [{ of: Math.min(back, levels), array: null }];
        return [...end.map((of, n) => ({ of, array: list(n) })), ...again];
      }
      const next = (n: number): number => (skips ? Math.min(levels, level + 1 + (n % 3)) : level + 1);
      return [
        ...beside.map((of, n) => ({ of, array: list(n) })),
        ...Array.from({ length: references }, (_unused, n) => ({ of: next(n), array: list(n) })),
      ];
    }),
  );

const rosText = (all: HostileTypes): string =>
  all
    .map((fields, type) => {
      const lines = fields.map(({ of, array: length }, n) => {
        const name = of === "number" ? "float64" : of === "string" ? "string" : `p/T${of}`;
        return `${name}${length === null ? "" : `[${length === "open" ? "" : length}]`} f${n}`;
      });
      return type === 0 ? lines.join("\n") : `=====\nMSG: p/T${type}\n${lines.join("\n")}`;
    })
    .join("\n");

const idlText = (all: HostileTypes): string => {
  const structs = all.map((fields, type) => {
    const lines = fields.map(({ of, array: length }, n) => {
      const name = of === "number" ? "double" : of === "string" ? "string" : `p::T${of}`;
      const open = length === "open" ? `sequence<${name}>` : name;
      return `${open} f${n}${typeof length === "number" ? `[${length}]` : ""};`;
    });
    return `struct T${type} { ${lines.join("\n")} };`;
  });
  return `module p { ${structs.toReversed().join("\n")} };`;
};

function protoDescriptor(all: HostileTypes): Uint8Array {
  const messages = all.map((fields, type) => {
    const lines = fields.map(({ of, array: length }, n) => {
      const name = of === "number" ? "double" : of === "string" ? "string" : `T${of}`;
      return `${length === null ? "" : "repeated "}${name} f${n} = ${n + 1};`;
    });
    return `message T${type} { ${lines.join(" ")} }`;
  });
  const { root } = protobuf.parse(`syntax = "proto3"; package p; ${messages.join("\n")}`);
  const set = (root as unknown as { toDescriptor(syntax: string): protobuf.Message }).toDescriptor("proto3");
  return set.$type.encode(set).finish();
}

const flatSchema = (all: HostileTypes): Uint8Array =>
  writeFlatSchema({
    objects: all.map((fields, type) => ({
      name: `p.T${type}`,
      fields: fields.map(({ of, array: length }, n) => {
        const base = of === "number" ? FlatBase.double : of === "string" ? FlatBase.string : FlatBase.object;
        const index = typeof of === "number" ? { index: of } : {};
        const list = length === "open" ? FlatBase.vector : FlatBase.array;
        const own = length === null ? { base } : { base: list, element: base, length: length === "open" ? 0 : length };
        return { name: `f${n}`, type: { ...own, ...index }, offset: 4 + 2 * n };
      }),
    })),
    enums: [],
  });

/** JSON Schema as far as it fits: each use of a type is written out. */
function jsonSchema(all: HostileTypes): string {
  let room = maxText;
  const write = (of: HostileField["of"], depth: number): string => {
    if (typeof of !== "number") return `{"type":"${of}"}`;
    const fields = all[of]!;
    if (room < fields.length * 50 || depth > 60) return "{}";
    room -= fields.length * 50;
    const members = fields.map((field, n) => `"f${n}":${write(field.of, depth + 1)}`);
    return `{"type":"object","properties":{${members.join(",")}}}`;
  };
  return write(0, 0);
}

/** The channel whose schema has these types; null where they do not fit into 64 kB of it. */
export function hostileChannel(language: Language, all: HostileTypes): Channel | null {
  const fields = all.reduce((sum, own) => sum + own.length, 0);
  if (fields * 8 > maxText) return null;
  const channel = ((): Channel => {
    switch (language) {
      case "ros1msg":
        return makeChannel("ros1", language, rosText(all), "p/R");
      case "ros2msg":
        return makeChannel("cdr", language, rosText(all), "p/msg/R");
      case "ros2idl":
        return makeChannel("cdr", language, idlText(all), "p/T0");
      case "omgidl":
        return makeChannel("cdr", language, idlText(all), "p::T0");
      case "protobuf":
        return makeChannel(language, language, protoDescriptor(all), "p.T0");
      case "flatbuffer":
        return makeChannel(language, language, flatSchema(all), "p.T0");
      case "jsonschema":
        return makeChannel("json", language, jsonSchema(all));
    }
  })();
  return channel.schemaData.length <= maxText ? channel : null;
}
