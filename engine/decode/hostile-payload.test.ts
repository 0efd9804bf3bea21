import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDecoder, listFields } from "@/engine/decode/decode";
import { createFieldReader } from "@/engine/decode/field-reader";
import { RecordingError } from "@/engine/formats/recording-error";
import {
  makeChannel as channel,
  EVERYTHING,
  expectDecodedOrRefused,
  ros1Channel as ros1,
  ros2Channel as ros2,
} from "@/engine/testing/test-channels";
import { countShare } from "@/server/testing/generated-cases";

describe("hostile schemas and payloads", () => {
  it.each([
    ["a type name that is code", "pkg/A a\n=====\nMSG: pkg/A=0;globalThis.owned=1;//\nuint8 x\n"],
    ["a field name that is code", 'uint8 x"];globalThis.owned=1;//\n'],
    ["a type that contains itself", "pkg/A a\n=====\nMSG: pkg/A\npkg/A a\n"],
    ["a type named like a part of JavaScript", "constructor a_constructor\n"],
    ["a type that is not defined", "pkg/Missing a\n"],
    ["no definition at all", "THIS IS NOT A VALID ROS MSG DEFINITION }{]["],
    ["a line without end", `uint8 ${"x".repeat(5000)}\n`],
    ["more fields than any message", "uint8 x\n".repeat(2000)],
  ])("%s is refused with a reason, and runs nothing", (_name, schema) => {
    for (const made of [ros1(schema), ros2(schema)]) {
      expect(() => createDecoder(made)).toThrow(RecordingError);
      expect(listFields(made)).toEqual([]);
    }
    expect(globalThis).not.toHaveProperty("owned");
  });

  it("unusual but valid names are never run as code", () => {
    const decoded = createDecoder(ros1("uint8 __proto__\nuint8 constructor\nuint8 r\nuint8 many\n")).decode(
      Buffer.from([1, 2, 3, 4]),
    );
    expect(Object.entries(decoded as object)).toEqual([
      ["__proto__", 1],
      ["constructor", 2],
      ["r", 3],
      ["many", 4],
    ]);
  });

  it.each([
    ["uint8[] a\n", "ffffffff"],
    ["float64[] a\n", "ffffff1f"],
    ["string a\n", "ffffffff41"],
    ["string[] a\n", "ffffff00"],
    ["pkg/Empty[] a\n=====\nMSG: pkg/Empty\n", "ffffffff"],
    ["pkg/P[] a\n=====\nMSG: pkg/P\nfloat64 x\n", "ffffff7f"],
    ["float64[1000000] a\n", "00"],
    ["uint32 a\n", "0000"],
    ["bool[] a\n", "05000000 0101"],
  ])("a ros1 payload that claims more than it has is refused immediately (%s)", (schema, hex) => {
    const padded = Buffer.from(`${hex.replaceAll(" ", "")}4242424242424242`, "hex");
    const payload = padded.subarray(0, padded.length - 8);
    const cdr = Buffer.concat([Buffer.from([0, 1, 0, 0]), payload]);
    expect(() => createDecoder(ros1(schema)).decode(payload)).toThrow(RecordingError);
    expect(() => createDecoder(ros2(schema)).decode(cdr)).toThrow(RecordingError);
    expect(() => createFieldReader(ros1(`${schema.replace("\n", "\nuint8 last\n")}`)).read(payload)).toThrow(
      RecordingError,
    );
  });

  it("cdr with an unknown or missing header is refused", () => {
    const decoder = createDecoder(ros2("uint8 a\n"));
    for (const payload of ["", "00", "000a000001", "0003000001"]) {
      expect(() => decoder.decode(Buffer.from(payload, "hex"))).toThrow(RecordingError);
    }
  });

  it("any bytes are either decoded or refused", () => {
    const decoders = [createDecoder(ros1(EVERYTHING)), createDecoder(ros2(EVERYTHING))];
    const readers = [createFieldReader(ros1(EVERYTHING)), createFieldReader(ros2(EVERYTHING))];
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(1), (bytes, which) => {
        expectDecodedOrRefused(
          () => decoders[which]!.decode(bytes),
          () => readers[which]!.read(bytes),
        );
      }),
      { numRuns: countShare(500) },
    );
  });

  it("an unsupported encoding or schema is named in the error", () => {
    expect(() => createDecoder(channel("thrift", "thrift", "x"))).toThrow('"thrift"');
    expect(() => createDecoder(channel("cdr", "", ""))).toThrow('no definition of "pkg/Type"');
    expect(() => createDecoder(channel("cdr", "", "", ""))).toThrow("without a schema");
    expect(() => createDecoder(channel("cdr", "ros2idl", "struct {"))).toThrow("The IDL schema cannot be read");
    expect(() => createDecoder(channel("cdr", "omgidl", "struct E {}; struct T { sequence<E> e; };", "T"))).toThrow(
      "no members",
    );
  });
});
