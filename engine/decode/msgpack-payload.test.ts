import { encode } from "@msgpack/msgpack";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDecoder, listFields } from "@/engine/decode/decode";
import { createFieldReader } from "@/engine/decode/field-reader";
import { RecordingError } from "@/engine/formats/recording-error";
import { expectDecodedOrRefused, makeChannel as channel } from "@/engine/testing/test-channels";

describe("msgpack", () => {
  const msgpack = channel("msgpack", "", "");
  const decode = (hex: string) => createDecoder(msgpack).decode(Buffer.from(hex.replaceAll(" ", ""), "hex"));

  it("decodes what another program encoded, with every size of length", () => {
    const message = {
      a: 1.5,
      n: -7,
      flags: [true, false, null],
      texts: ["", "x".repeat(31), "x".repeat(200), "x".repeat(300), "x".repeat(70_000)],
      lists: [[], Array.from({ length: 20 }, (_, i) => i), Array.from({ length: 70_000 }, () => 1)],
      map: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, i * 1e6])),
      bytes: [new Uint8Array(3), new Uint8Array(300), new Uint8Array(70_000)],
      integers: [127, 128, 256, 65_536, 2 ** 40, -33, -129, -32_769, -(2 ** 40)],
    };
    expect(createDecoder(msgpack).decode(encode(message))).toEqual(message);
  });

  it("integers are exact at any size", () => {
    expect(decode("cfffffffffffffffff")).toBe(18446744073709551615n);
    expect(decode("d38000000000000000")).toBe(-9223372036854775808n);
    expect(decode("cf0000000000000007")).toBe(7);
    expect(decode("92 cf0020000000000001 81a161d3fffffffffffffffe")).toEqual([9_007_199_254_740_993n, { a: -2 }]);
    expect(decode("ca3fc00000")).toBe(1.5);
  });

  it("timestamps are times, other extensions bytes", () => {
    expect(decode("d6ff00000001")).toEqual({ sec: 1, nsec: 0 });
    expect(decode("d7ff 00000008 00000001")).toEqual({ sec: 1, nsec: 2 });
    expect(decode("c70cff 00000002 ffffffffffffffff")).toEqual({ sec: -1, nsec: 2 });
    expect(decode("d40541")).toEqual(new Uint8Array([0x41]));
    expect(decode("c703ff010203")).toEqual(new Uint8Array([1, 2, 3]));
  });

  it("keys that are numbers or booleans become texts", () => {
    expect(decode("83 01 02 ff 03 c3 04")).toEqual({ 1: 2, "-1": 3, true: 4 });
    expect(decode("81 cf0000000000000005 01")).toEqual({ 5: 1 });
  });

  it("fields appear with the data; a JSON Schema names them before", () => {
    const reader = createFieldReader(msgpack);
    reader.read(encode({ a: 1, ok: true, name: "x", at: new Date(0), p: [1, 2] }));
    expect(reader.fields).toEqual([
      { path: "a", kind: "number" },
      { path: "ok", kind: "boolean" },
      { path: "name", kind: "string" },
      { path: "at", kind: "time" },
      { path: "at", kind: "time", isFraction: true },
      { path: "p[0]", kind: "number" },
      { path: "p[1]", kind: "number" },
    ]);
    expect([reader.values[0], reader.states[1], reader.states[2]]).toEqual([1, true, "x"]);
    const schema = { type: "object", properties: { speed: { type: "number", description: "[m/s]" } } };
    expect(listFields(channel("msgpack", "jsonschema", JSON.stringify(schema)))).toEqual([
      { path: "speed", kind: "number", unit: "m/s" },
    ]);
  });

  it.each([
    ["nothing", ""],
    ["a cut list", "9201"],
    ["a list that claims more than it has", "ddffffffff01"],
    ["lists within lists that claim more than they have", "dd01ffffff".repeat(60)],
    ["a map that claims more than it has", "dfffffffff"],
    ["a text that claims more than it has", "dbffffffff41"],
    ["bytes that claim more than they have", "c6ffffffff41"],
    ["a cut number", "cb0000"],
    ["something behind the message", "0101"],
    ["the byte that begins no value", "c1"],
    ["a list as a key", "819001"],
    ["nothing as a key", "81c001"],
  ])("%s is refused", (_name, hex) => {
    expect(() => decode(hex)).toThrow(RecordingError);
  });

  it("deep nesting and countless values are refused", () => {
    for (const one of ["91", "81a161"]) {
      expect(() => createDecoder(msgpack).decode(Buffer.from(one.repeat(100_000), "hex"))).toThrow("too deeply");
    }
    expect(decode(`${"91".repeat(63)}01`)).toBeDefined();
    const many = Buffer.alloc(5 + 2_000_000, 0x80);
    many[0] = 0xdd;
    many.writeUInt32BE(2_000_000, 1);
    expect(() => createDecoder(msgpack).decode(many)).toThrow("too many values");
  });

  it("a message after a damaged one is decoded as if it were the first", () => {
    expect(() => decode("92c001 81c001")).toThrow(RecordingError);
    expect(() => decode("9281c00101")).toThrow(RecordingError);
    expect(decode("9201a161")).toEqual([1, "a"]);
  });

  it("any bytes are either decoded or refused, damaged messages too", () => {
    const reader = createFieldReader(msgpack);
    const valid = encode({ a: [1, 2.5, "x", null], b: { c: new Date(1), d: new Uint8Array(4) }, e: 2 ** 50 });
    const run = (bytes: Uint8Array) =>
      expectDecodedOrRefused(
        () => createDecoder(msgpack).decode(bytes),
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
