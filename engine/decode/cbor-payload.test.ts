import { encode, Tagged } from "cborg";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDecoder, listFields } from "@/engine/decode/decode";
import { createFieldReader } from "@/engine/decode/field-reader";
import { RecordingError } from "@/engine/formats/recording-error";
import { expectDecodedOrRefused, makeChannel as channel } from "@/engine/testing/test-channels";

describe("cbor", () => {
  const cbor = channel("cbor", "", "");
  const decode = (hex: string) => createDecoder(cbor).decode(Buffer.from(hex.replaceAll(" ", ""), "hex"));

  it("decodes what another program encoded", () => {
    const message = {
      a: 1.5,
      n: -7,
      list: [true, null, "text"],
      bytes: new Uint8Array([1, 2]),
      long: 9223372036854775807n,
      safe: 2 ** 40,
      nested: { "odd key": { x: NaN } },
    };
    expect(createDecoder(cbor).decode(encode(message))).toEqual(message);
  });

  it("the examples of RFC 8949 have their values", () => {
    expect(decode("f93e00")).toBe(1.5);
    expect(decode("fa47c35000")).toBe(100_000);
    expect(decode("1bffffffffffffffff")).toBe(18446744073709551615n);
    expect(decode("3bffffffffffffffff")).toBe(-18446744073709551616n);
    expect(decode("1b000000e8d4a51000")).toBe(1_000_000_000_000);
    expect(decode("c249010000000000000000")).toBe(18446744073709551616n);
    expect(decode("c349010000000000000000")).toBe(-18446744073709551617n);
    expect(decode("c24107")).toBe(7);
    expect(decode("c11a514b67b0")).toBe(1_363_896_240);
    expect(decode("9f018202039f0405ffff")).toEqual([1, [2, 3], [4, 5]]);
    expect(decode("bf61610161629f0203ffff")).toEqual({ a: 1, b: [2, 3] });
    expect(decode("f7")).toBeNull();
  });

  it("keys that are numbers or booleans become texts", () => {
    expect(decode("a3 01 02 20 03 f5 04")).toEqual({ 1: 2, "-1": 3, true: 4 });
    expect(decode("a1 01 a1 02 82 03 04")).toEqual({ 1: { 2: [3, 4] } });
    expect(decode("bf 01 02 03 bf ff ff")).toEqual({ 1: 2, 3: {} });
    expect(Object.entries(decode("a1 69 5f5f70726f746f5f5f 01") as object)).toEqual([["__proto__", 1]]);
  });

  it("typed arrays are lists of numbers, in both orders of bytes", () => {
    expect(decode("d841 44 0102 0304")).toEqual([0x0102, 0x0304]);
    expect(decode("d845 44 0102 0304")).toEqual([0x0201, 0x0403]);
    expect(decode("d848 42 ff01")).toEqual([-1, 1]);
    expect(decode("d851 44 3fc00000")).toEqual([1.5]);
    expect(decode("d855 44 0000c03f")).toEqual([1.5]);
    expect(decode("d84b 48 ffffffffffffffff")).toEqual([-1n]);
    expect(decode("d855 43 000000")).toEqual(new Uint8Array(3));
  });

  it("fields appear with the data; a JSON Schema names them before", () => {
    const reader = createFieldReader(cbor);
    reader.read(encode({ a: 1, ok: true, name: "x", id: 2n ** 63n, stamp: { sec: 1, nanosec: 2 } }));
    expect(reader.fields).toEqual([
      { path: "a", kind: "number" },
      { path: "id", kind: "number" },
      { path: "ok", kind: "boolean" },
      { path: "name", kind: "string" },
      { path: "stamp", kind: "time" },
      { path: "stamp", kind: "time", isFraction: true },
    ]);
    expect([reader.values[0], reader.states[2], reader.states[3]]).toEqual([1, true, "x"]);
    expect(reader.objects?.wide[1]).toBe(2n ** 63n);
    const schema = { type: "object", properties: { speed: { type: "number", description: "[m/s]" } } };
    expect(listFields(channel("cbor", "jsonschema", JSON.stringify(schema)))).toEqual([
      { path: "speed", kind: "number", unit: "m/s" },
    ]);
  });

  it.each([
    ["nothing", ""],
    ["a cut list", "8301"],
    ["a list that claims more than it has", "9affffffff01"],
    ["a text that claims more than it has", "7affffffff41"],
    ["a map that claims more than it has", "bbffffffffffffffff"],
    ["an end without a beginning", "ff"],
    ["something behind the message", "0101"],
    ["a reserved length", "1c"],
    ["a tag of nothing", "c1"],
    ["a list as a key", "a18001"],
  ])("%s is refused", (_name, hex) => {
    expect(() => decode(hex)).toThrow(RecordingError);
  });

  it("deep nesting and countless values are refused", () => {
    for (const one of ["81", "a161", "9f", "c2", "d851"]) {
      expect(() => createDecoder(cbor).decode(Buffer.from(one.repeat(100_000), "hex"))).toThrow(RecordingError);
    }
    expect(() => decode("81".repeat(65) + "01")).toThrow("nests too deeply");
    expect(decode(`${"81".repeat(63)}01`)).toBeDefined();
    const many = Buffer.alloc(2_000_002, 0xa0);
    many.write("9f", 0, "hex");
    expect(() => createDecoder(cbor).decode(many)).toThrow("too many values");
    expect(decode("d9d9f7".repeat(1000) + "01")).toBe(1);
  });

  it("any bytes are either decoded or refused, damaged messages too", () => {
    const reader = createFieldReader(cbor);
    const valid = encode({
      a: [1, 2.5, "x", null],
      b: { c: 2n ** 60n, d: new Uint8Array(4) },
      e: new Tagged(2, new Uint8Array(9).fill(255)),
    });
    const run = (bytes: Uint8Array) =>
      expectDecodedOrRefused(
        () => createDecoder(cbor).decode(bytes),
        () => reader.read(bytes),
      );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(valid.length - 1), fc.nat(255), (bytes, at, byte) => {
        run(bytes);
        const damaged = Uint8Array.from(valid);
        damaged[at] = byte;
        run(damaged);
        run(valid.subarray(0, at));
      }),
      { numRuns: 300 },
    );
  });
});
