import zstd from "@foxglove/wasm-zstd";
import { beforeAll, describe, expect, it } from "vitest";
import { processColumns } from "@/engine/columns/pass";
import { cutMcap, emptyReport } from "@/engine/cut/cut-mcap";
import { createDecoder } from "@/engine/decode/decode";
import { memorySource } from "@/engine/formats/byte-source";
import type { Codecs } from "@/engine/formats/codecs/codecs";
import { createUnpackMessage, zstdFrameSize } from "@/engine/formats/packed-message";
import { openPacked } from "@/engine/formats/packed/packed-reader";
import { openRecording } from "@/engine/formats/reader/reader";
import { comparePasses, makeRules } from "@/engine/testing/compare-passes";
import { writeMcap, type TestChannel, type TestMessage } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

let codecs: Codecs;
beforeAll(async () => {
  await zstd.isLoaded;
  codecs = await recordingCodecs();
});

const start = 1_750_000_000_000_000_000n;
const count = 3_000;
const channels: TestChannel[] = [
  {
    topic: "/x",
    messageEncoding: "cdr",
    schemaName: "std_msgs/msg/Float64",
    schemaEncoding: "ros2msg",
    schema: "float64 data",
  },
  {
    topic: "/dds",
    messageEncoding: "cdr",
    schemaName: "Dds",
    schemaEncoding: "omgidl",
    schema: "struct Dds { double data; };",
  },
  {
    topic: "/wide",
    messageEncoding: "cdr",
    schemaName: "pkg/msg/Wide",
    schemaEncoding: "ros2msg",
    schema: "float64 data\nwstring text",
  },
  { topic: "/json", messageEncoding: "json", schemaName: "", schemaEncoding: "", schema: "" },
];

function float64(value: number): Buffer {
  const data = Buffer.alloc(12);
  data[1] = 1;
  data.writeDoubleLE(value, 4);
  return data;
}
const pack = (data: Buffer): Uint8Array => zstd.compress(data, 1);

/** A recording whose messages in CDR are compressed one by one, or not. */
function write(packed: boolean): Promise<Buffer> {
  const own = packed ? pack : (data: Buffer) => data;
  const messages = Array.from({ length: count }, (_, at): TestMessage[] => [
    { topic: "/x", time: start + BigInt(at) * 1_000_000n, data: own(float64(at)) },
    { topic: "/dds", time: start + BigInt(at) * 1_000_000n + 1n, data: own(float64(-at)) },
    {
      topic: "/wide",
      time: start + BigInt(at) * 1_000_000n + 3n,
      data: own(Buffer.concat([float64(at), Buffer.alloc(4)])),
    },
    { topic: "/json", time: start + BigInt(at) * 1_000_000n + 2n, data: Buffer.from(`{"data":${at}}`) },
  ]).flat();
  return writeMcap(channels, messages, { compression: "zstd" });
}

describe("messages in CDR that were compressed one by one", () => {
  it("are read as those that were not, into columns and message by message", async () => {
    const bytes = await write(true);
    let merged = -1;
    const options = { codecs, onRead: (_: number, apart: number) => (merged = apart) };
    const pass = await processColumns([memorySource(bytes)], [], options);
    expect([pass.warnings, merged]).toEqual([[], 0]);
    for (const topic of ["/x", "/dds", "/wide", "/json"]) expect(pass.topics.getReading(topic).error).toBeNull();
    const files = [memorySource(bytes)];
    const rules = await makeRules(files, codecs);
    expect((await comparePasses(files, rules, { codecs })).differences).toEqual([]);
  });

  it("are read by pages, which know the recording by its pack", async () => {
    const source = { ...memorySource(await write(true)), id: "file" };
    const reader = await openRecording([source], codecs);
    await reader.summary();
    const { chunks } = openPacked(reader.pack(), new Map([["file", source]]), codecs)!;
    for (const [topic, value] of [
      ["/x", 10],
      ["/dds", -10],
    ] as const) {
      const message = (await chunks.findLatest(topic, start + 10_500_000n))!;
      expect(createDecoder(message.channel).decode(message.data)).toEqual({ data: value });
    }
  });

  it("are not compressed in a cut, which others read", async () => {
    const source = { ...memorySource(await write(true)), id: "file" };
    const reader = await openRecording([source], codecs);
    const { startTime, endTime } = await reader.summary();
    const recorded = { start: startTime, end: endTime };
    const request = {
      ...recorded,
      topics: null,
      recorded,
      counts: new Map<string, number>(),
      about: new Map<string, string>(),
    };
    const parts: Uint8Array[] = [];
    for await (const part of cutMcap(reader.pack(), [source], { codecs, compress: null }, request, emptyReport())!)
      parts.push(part);
    const cut = await openRecording([memorySource(Buffer.concat(parts))], codecs);
    const found: Uint8Array[] = [];
    for await (const batch of cut.messages({ topics: new Set(["/x"]) }))
      for (const { data } of batch) found.push(Uint8Array.from(data));
    expect([found.length, found[7]]).toEqual([count, Uint8Array.from(float64(7))]);
  });
});

describe("a message that claims to be compressed", () => {
  const unpack = (data: Uint8Array) => createUnpackMessage(codecs.zstd)(data);

  it("is left alone where it is none", () => {
    const data = float64(1);
    expect(unpack(data)).toBe(data);
  });

  it("beyond 64 MiB is refused before anything is allocated", () => {
    const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 1, 0, 0, 0x04, 0, 0, 0, 0]);
    expect(zstdFrameSize(head)).toBe(64 * 1024 * 1024 + 1);
    const never = createUnpackMessage(() => {
      throw new Error("decompressed");
    });
    expect(() => never(head)).toThrow("more than 64 MiB");
  });

  it("without its size, or damaged, is refused with a reason", () => {
    const frame = Buffer.from(pack(Buffer.alloc(500, 7)));
    expect(() => unpack(frame.subarray(0, frame.length - 3))).toThrow("A compressed message is damaged.");
    expect(() => unpack(Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, 1, 0, 0]))).toThrow("without its size");
  });

  it("is not decompressed any more once all came to 200 times the size of the files", async () => {
    const large = pack(Buffer.alloc(4 * 1024 * 1024));
    const messages = Array.from({ length: 100 }, (_, at) => ({ topic: "/x", time: start + BigInt(at), data: large }));
    const pass = await processColumns([memorySource(await writeMcap([channels[0]!], messages))], [], { codecs });
    expect(pass.warnings).toContainEqual(
      expect.stringMatching(
        /^\d+ of 100 messages of \/x could not be decoded: The messages decompress to more than 200 times/,
      ),
    );
  });

  it("that is damaged costs itself alone", async () => {
    const bytes = [3, 4, 5].map((value) => Buffer.from(pack(float64(value))));
    bytes[1]![bytes[1]!.length - 1]! ^= 0xff;
    const messages = bytes.map((data, at) => ({
      topic: "/x",
      time: start + BigInt(at),
      data: at === 1 ? data.subarray(0, 8) : data,
    }));
    const pass = await processColumns([memorySource(await writeMcap([channels[0]!], messages))], [], { codecs });
    expect(pass.warnings).toEqual(["1 of 3 messages of /x could not be decoded: A compressed message is damaged."]);
  });
});
