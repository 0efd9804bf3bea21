import protobuf from "protobufjs";
import "protobufjs/ext/descriptor/index.js";
import { describe, expect, it } from "vitest";
import { createDecoder, listFields } from "@/engine/decode/decode";
import { createFieldReader } from "@/engine/decode/field-reader";
import { getPayloadType } from "@/engine/decode/payload-type";
import { RecordingError } from "@/engine/formats/recording-error";
import { makeChannel, ros1Channel, ros2Channel } from "@/engine/testing/test-channels";

describe("schemas and messages that would cost more than their bytes", () => {
  const chain = (length: number, open: string, close: string) =>
    Array.from({ length }, (_, n) => `${open}typedef D${n} D${n + 1}[2];${close}`).join(" ");
  const arrays = (n: number) => `module p { typedef double D0; ${chain(n, "", "")} struct T { D${n} a; }; };`;

  it.each([
    ["arrays of arrays of arrays", arrays(40)],
    ["these with comments between", arrays(40).replaceAll("typedef D", "typedef /* ; */ D")],
    ["an array of very many dimensions", `module p { struct T { double a${"[1]".repeat(15_000)}; }; };`],
    [
      "a declaration of very many members",
      `struct T { double ${Array.from({ length: 7000 }, (_, n) => `a${n}`).join()}; };`,
    ],
  ])("IDL: %s are refused before they are parsed", (_, text) => {
    for (const [language, name] of [
      ["omgidl", "p::T"],
      ["ros2idl", "p/T"],
    ] as const)
      expect(() => getPayloadType(makeChannel("cdr", language, text, name))).toThrow(/too (often|long)/);
  });

  it("IDL: a few arrays of arrays are read", () => {
    expect(listFields(makeChannel("cdr", "omgidl", arrays(3), "p::T"))).toEqual([]);
    const row = "module p { typedef double Row[3]; typedef Row Pose; struct T { Pose a; }; };";
    expect(listFields(makeChannel("cdr", "omgidl", row, "p::T")).map(({ path }) => path)).toEqual([
      "a[0]",
      "a[1]",
      "a[2]",
    ]);
  });

  it("ROS: names of constants and fields that all could belong together are refused", () => {
    const fields = Array.from({ length: 200 }, (_, n) => `uint8 x${n}${"_a".repeat(60)}\n`);
    const constants = Array.from({ length: 200 }, (_, n) => `uint8 ${"A_".repeat(60)}C${n}=${n}\n`);
    for (const channel of [
      ros1Channel([...constants, ...fields].join("")),
      ros2Channel([...constants, ...fields].join("")),
    ])
      expect(() => createFieldReader(channel)).toThrow("too often");
  });

  it("protobuf: a message of empty messages with very many fields is refused", () => {
    const fields = Array.from({ length: 3000 }, (_, n) => `double f${n} = ${n + 1};`).join(" ");
    const text = `syntax = "proto3"; message Wide { ${fields} } message T { repeated Wide list = 1; }`;
    const { root } = protobuf.parse(text);
    const set = (root as unknown as { toDescriptor(syntax: string): protobuf.Message }).toDescriptor("proto3");
    const channel = makeChannel("protobuf", "protobuf", set.$type.encode(set).finish(), "T");
    const data = Uint8Array.from({ length: 60_000 }, (_, at) => (at % 2 === 0 ? 0x0a : 0));
    expect(() => createDecoder(channel).decode(data)).toThrow(RecordingError);
    expect(createDecoder(channel).decode(data.subarray(0, 20))).toMatchObject({ list: { length: 10 } });
  });

  it("JSON: a message of very many members is refused, one of very many numbers is read", () => {
    const decoder = createDecoder(makeChannel("json", "", ""));
    const members = Array.from({ length: 300_000 }, (_, n) => `"k${n}":${n}`).join();
    expect(() => decoder.decode(Buffer.from(`{${members}}`))).toThrow("too many members");
    expect(decoder.decode(Buffer.from(`[${"1,".repeat(500_000)}2]`))).toHaveLength(500_001);
    expect(decoder.decode(Buffer.from(JSON.stringify([":".repeat(300_000)])))).toEqual([":".repeat(300_000)]);
  });
});
