import { parseRos2idl } from "@foxglove/ros2idl-parser";
import { parse } from "@foxglove/rosmsg";
import { MessageReader as Ros1Reader, MessageWriter as Ros1Writer } from "@foxglove/rosmsg-serialization";
import { MessageReader as CdrReader, MessageWriter as CdrWriter } from "@foxglove/rosmsg2-serialization";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDecoder, listFields } from "@/engine/decode/decode";
import { createFieldReader } from "@/engine/decode/field-reader";
import {
  makeChannel as channel,
  EVERYTHING,
  plain,
  ros1Channel as ros1,
  ros2Channel as ros2,
} from "@/engine/testing/test-channels";

const values = (() => {
  const part = fc.record({ x: fc.nat(255), y: fc.double({ noNaN: true }), z: fc.string({ maxLength: 60 }) });
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  return fc.record({
    flag: fc.boolean(),
    a: fc.integer({ min: -128, max: 127 }),
    b: fc.nat(255),
    name: fc.string({ unit: "grapheme", maxLength: 20 }).filter((text) => !text.includes("\u0000")),
    c: fc.integer({ min: -32768, max: 32767 }),
    d: fc.nat(65535),
    e: fc.integer(),
    f: fc.nat(2 ** 32 - 1),
    g: int64,
    h: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    i: fc.float({ noNaN: true }),
    j: fc.double({ noNaN: true }),
    part,
    parts: fc.array(part, { maxLength: 4 }),
    pair: fc.tuple(part, part),
    bytes: fc.uint8Array({ maxLength: 9 }),
    doubles: fc.array(fc.double({ noNaN: true }), { maxLength: 5 }),
    floats: fc.tuple(fc.float({ noNaN: true }), fc.float({ noNaN: true }), fc.float({ noNaN: true })),
    longs: fc.array(int64, { maxLength: 4 }),
    flags: fc.array(fc.boolean(), { maxLength: 4 }),
    names: fc.array(fc.string({ maxLength: 5 }), { maxLength: 4 }),
  });
})();

describe("ros1 and cdr", () => {
  it("every message of every type decodes as by the reference libraries", () => {
    const types1 = parse(EVERYTHING);
    const types2 = parse(EVERYTHING, { ros2: true });
    const [own1, own2] = [createDecoder(ros1(EVERYTHING)), createDecoder(ros2(EVERYTHING))];
    const [reader1, reader2] = [new Ros1Reader(types1), new CdrReader(types2)];
    fc.assert(
      fc.property(values, fc.nat(7), (value, shift) => {
        for (const [payload, own, library] of [
          [new Ros1Writer(types1).writeMessage(value), own1, reader1],
          [new CdrWriter(types2).writeMessage(value), own2, reader2],
        ] as const) {
          // Payloads lie anywhere in their chunk.
          const moved = Buffer.alloc(payload.length + shift + 5, 0xaa);
          moved.set(payload, shift);
          const decoded = own.decode(moved.subarray(shift, shift + payload.length));
          expect(plain(decoded)).toEqual(plain(library.readMessage(Uint8Array.from(payload))));
        }
      }),
      { numRuns: 150 },
    );
  });

  it("fields read directly from the bytes equal those of the decoded message", () => {
    const types = parse(EVERYTHING, { ros2: true });
    const decoder = createDecoder(ros2(EVERYTHING));
    const reader = createFieldReader(ros2(EVERYTHING));
    fc.assert(
      fc.property(values, (value) => {
        const payload = new CdrWriter(types).writeMessage(value);
        reader.read(payload);
        const decoded = decoder.decode(payload);
        for (const [slot, { path, kind }] of reader.fields.entries()) {
          const steps = path.replace(/\[(\d+)\]/g, ".$1").split(".");
          const found = steps.reduce<unknown>(
            (at, step) => (at as Record<string, unknown> | undefined)?.[step],
            decoded,
          );
          if (kind === "number") expect(reader.values[slot]).toBe(found === undefined ? NaN : Number(found));
          else expect(reader.states[slot]).toBe(found);
        }
      }),
      { numRuns: 100 },
    );
  });

  it("only the requested fields are decoded, correctly", () => {
    const types = parse(EVERYTHING, { ros2: true });
    const [value] = fc.sample(values, { numRuns: 1, seed: 3 });
    const payload = new CdrWriter(types).writeMessage(value);
    const all = createDecoder(ros2(EVERYTHING)).decode(payload) as Record<string, unknown>;
    for (const name of Object.keys(all)) {
      const some = createDecoder(ros2(EVERYTHING), { only: new Set([name]) }).decode(payload);
      expect(some).toEqual({ [name]: all[name] });
    }
  });

  it("big-endian messages decode", () => {
    const decoder = createDecoder(ros2("uint16 a\nfloat64[] b\nint64 c\n"));
    const payload = Buffer.alloc(4 + 8 + 16 + 8);
    payload.writeUInt16BE(513, 4);
    payload.writeUInt32BE(2, 8);
    payload.writeDoubleBE(1.5, 12);
    payload.writeDoubleBE(-2.5, 20);
    payload.writeBigInt64BE(-7n, 28);
    expect(plain(decoder.decode(payload))).toEqual({ a: 513, b: [1.5, -2.5], c: -7n });
  });

  it("times carry the names of their language: nsec in ROS 1, nanosec in ROS 2", () => {
    const stamp = Buffer.alloc(8);
    stamp.writeUInt32LE(7, 0);
    stamp.writeUInt32LE(9, 4);
    expect(createDecoder(ros1("time t\n")).decode(stamp)).toEqual({ t: { sec: 7, nsec: 9 } });
    const cdr = Buffer.concat([Buffer.from([0, 1, 0, 0]), stamp]);
    expect(createDecoder(ros2("builtin_interfaces/Time t\n")).decode(cdr)).toEqual({ t: { sec: 7, nanosec: 9 } });
    expect(createDecoder(ros2("builtin_interfaces/Duration t\n")).decode(cdr)).toEqual({ t: { sec: 7, nanosec: 9 } });
    expect(createDecoder(ros1("duration t\n")).decode(stamp)).toEqual({ t: { sec: 7, nsec: 9 } });
  });

  it("service events, which carry the service's text, decode as the event around it", () => {
    const event = ros2("int32 a\n---\nbool ok\nstring why\n", "pkg/srv/Ask_Event");
    const paths = listFields(event).map(({ path }) => path);
    expect(paths.slice(0, 3)).toEqual(["info.event_type", "info.stamp", "info.client_gid[0]"]);
    const payload = Buffer.alloc(4 + 12 + 16 + 4 + 8 + 8 + 4);
    payload[1] = 1;
    payload[4] = 3;
    payload.writeBigInt64LE(42n, 36);
    payload.writeUInt32LE(1, 44);
    payload.writeInt32LE(-5, 48);
    const decoded = createDecoder(event).decode(payload);
    expect(decoded).toMatchObject({
      info: { event_type: 3, sequence_number: 42n },
      request: [{ a: -5 }],
      response: [],
    });
    expect(() => createDecoder(ros2("int32 a\n---\nbool ok\n", "pkg/srv/Ask"))).toThrow("of a service");
  });

  it("ros2idl schemas decode like the definitions they stand for", () => {
    const idl = `module pkg { module msg {
  struct Type { double x; builtin_interfaces::msg::Time stamp; sequence<int32> list; float arr[2]; };
}; };
================================================================================
IDL: builtin_interfaces/msg/Time
module builtin_interfaces { module msg { struct Time { int32 sec; uint32 nanosec; }; }; };`;
    const value = { x: 1.25, stamp: { sec: 3, nsec: 4, nanosec: 4 }, list: [1, -2], arr: [0.5, 2] };
    const payload = new CdrWriter(parseRos2idl(idl)).writeMessage(value);
    const own = channel("cdr", "ros2idl", idl, "pkg/msg/Type");
    expect(plain(createDecoder(own).decode(payload))).toEqual({
      x: 1.25,
      stamp: { sec: 3, nanosec: 4 },
      list: [1, -2],
      arr: [0.5, 2],
    });
    expect(listFields(own).map(({ path }) => path)).toEqual(["x", "stamp", "arr[0]", "arr[1]"]);
  });

  it("omgidl schemas decode, enums included", () => {
    const idl = "enum Mode { OFF, ON }; struct Type { double x; Mode mode; sequence<long> list; };";
    const payload = Buffer.alloc(4 + 8 + 4 + 4 + 4);
    payload[1] = 1;
    payload.writeDoubleLE(2.5, 4);
    payload.writeUInt32LE(1, 12);
    payload.writeUInt32LE(1, 16);
    payload.writeInt32LE(-9, 20);
    const own = channel("cdr", "omgidl", idl, "Type");
    expect(plain(createDecoder(own).decode(payload))).toEqual({ x: 2.5, mode: 1, list: [-9] });
    const reader = createFieldReader(own);
    reader.read(payload);
    expect(reader.states[reader.fields.findIndex(({ path }) => path === "mode")]).toBe("ON");
  });
});
