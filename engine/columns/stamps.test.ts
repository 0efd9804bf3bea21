import { parse } from "@foxglove/rosmsg";
import { MessageWriter as Ros1Writer } from "@foxglove/rosmsg-serialization";
import { MessageWriter as CdrWriter } from "@foxglove/rosmsg2-serialization";
import { encode as encodeCbor } from "cborg";
import { describe, expect, it } from "vitest";
import { isWholeTime, putNanoseconds, toNanoseconds } from "@/engine/decode/time-parts";
import { memorySource } from "@/engine/formats/byte-source";
import { comparePasses } from "@/engine/testing/compare-passes";
import { describeSignals } from "@/engine/testing/describe-signals";
import { writeBag } from "@/engine/testing/write-bag";
import { writeMcap, type TestMessage } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

const start = 1_760_000_000_123_456_789n;
const definition = "time stamp\nduration took\nfloat64 x\n";
const seconds = 1_760_000_000;
const stampAt = (i: number, name: string) => ({ sec: seconds + i, [name]: (i * 100_000_001) % 1e9 });
const nanoseconds = (i: number): bigint => BigInt(seconds + i) * 1_000_000_000n + BigInt((i * 100_000_001) % 1e9);

const make = (topic: string, encode: (i: number) => Uint8Array, count = 30): TestMessage[] =>
  Array.from({ length: count }, (_, i) => ({ topic, time: start + BigInt(i) * 1_234_567n, data: encode(i) }));

async function read(file: Uint8Array): Promise<unknown> {
  const codecs = await recordingCodecs();
  const sources = [memorySource(file)];
  expect(await comparePasses(sources, [], { codecs })).toMatchObject({ differences: [], signals: true });
  return (await describeSignals(sources, codecs)).get("/a");
}

describe("stamps are nanoseconds in 64 bits, exactly", () => {
  const fields = ["stamp", "took", "x"].map((path) => ({ path, type: path === "x" ? "float64" : "int64" }));
  const rows = Array.from({ length: 30 }, (_, i) => [nanoseconds(i), -5_000_000_000n + BigInt(i), i]);

  it("of ROS 2", async () => {
    const writer = new CdrWriter(parse(definition, { ros2: true }));
    const encode = (i: number) =>
      writer.writeMessage({ stamp: stampAt(i, "nanosec"), took: { sec: -5, nanosec: i }, x: i });
    const channel = { topic: "/a", messageEncoding: "cdr", schemaEncoding: "ros2msg", schemaName: "pkg/msg/A" };
    const file = await writeMcap([{ ...channel, schema: definition }], make("/a", encode));
    expect(await read(file)).toEqual({ rows: 30, fields, read: rows });
  });

  it("of ROS 1", async () => {
    const writer = new Ros1Writer(parse(definition));
    const encode = (i: number) => writer.writeMessage({ stamp: stampAt(i, "nsec"), took: { sec: -5, nsec: i }, x: i });
    const channel = { topic: "/a", messageEncoding: "ros1", schemaEncoding: "ros1msg", schemaName: "pkg/A" };
    const file = writeBag([{ ...channel, schema: definition }], make("/a", encode), {
      compression: "none",
      chunkBytes: 5000,
    });
    expect(await read(file)).toEqual({ rows: 30, fields, read: rows });
  });

  it.each(["json", "cbor"])("of %s, where what is no time is null", async (messageEncoding) => {
    const odd = [1.5, "12", null, 1e30];
    const encode = (i: number): Uint8Array => {
      const stamp = { ...stampAt(i, "nsec"), ...(i % 5 === 4 && { sec: odd[(i / 5) | 0] }) };
      return messageEncoding === "json" ? Buffer.from(JSON.stringify({ stamp })) : encodeCbor({ stamp });
    };
    const file = await writeMcap([{ topic: "/a", messageEncoding }], make("/a", encode, 20));
    const expected = Array.from({ length: 20 }, (_, i) => [i % 5 === 4 ? null : nanoseconds(i)]);
    expect(await read(file)).toEqual({ rows: 20, fields: [{ path: "stamp", type: "int64" }], read: expected });
  });

  it("by halves as by integers without end", () => {
    const halves = new Int32Array(2);
    const [both] = [new BigInt64Array(halves.buffer)];
    const limits = [0, 1, -1, 1_760_000_000, -1_760_000_000, 2 ** 31, 2 ** 32 - 1, 9_223_372_032, -9_223_372_032];
    for (const sec of limits) {
      for (const ns of [0, 1, -1, 999_999_999, 2 ** 31, 2 ** 32 - 1, -(2 ** 31)]) {
        expect(isWholeTime(sec, ns)).toBe(true);
        putNanoseconds(halves, 0, sec, ns);
        expect(both[0]).toBe(toNanoseconds(sec, ns));
      }
    }
    for (const [sec, ns] of [
      [9_223_372_033, 0],
      [0.5, 0],
      [0, 0.5],
      [NaN, 0],
      [0, NaN],
      [0, 2 ** 32],
    ] as const)
      expect(isWholeTime(sec, ns)).toBe(false);
  });
});
