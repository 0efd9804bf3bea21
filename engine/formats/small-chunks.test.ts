import { describe, expect, it } from "vitest";
import { openRecording } from "@/engine/formats/reader/reader";
import type { RecordingSummary } from "@/engine/formats/recording";
import { drain, drainReader, openBytes, type Drained } from "@/engine/testing/drain";
import { writeMcap, type McapOptions, type TestChannel } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

const channels: TestChannel[] = ["/a", "/b", "/c"].map((topic) => ({
  topic,
  messageEncoding: "ros1",
  schemaName: "std_msgs/Float64",
  schemaEncoding: "ros1msg",
  schema: "float64 data\n",
}));
const messages = Array.from({ length: 3_000 }, (_, i) => ({
  topic: i < 1_500 ? "/a" : i % 2 === 0 ? "/b" : "/c",
  // Every tenth is stored late.
  time: BigInt(i - (i % 10 === 0 ? 25 : 0)) * 10_000_000n + 1_000_000_000n,
  data: Buffer.alloc(8, i % 251),
}));

const written = (options: McapOptions = {}): Promise<Buffer> =>
  writeMcap(channels, messages, { chunkBytes: 1, ...options });

async function read(file: Uint8Array): Promise<{ summary: RecordingSummary; all: Drained[] }> {
  const reader = await openBytes([file]);
  return { summary: await reader.summary(), all: await drainReader(reader) };
}

/** Where the records of chunks start. */
function listChunks(file: Buffer): number[] {
  const found: number[] = [];
  for (let at = 8; at + 9 <= file.length; at += 9 + Number(file.readBigUInt64LE(at + 1))) {
    if (file[at] === 0x06) found.push(at);
  }
  return found;
}

describe("chunks of one message", () => {
  it.each<McapOptions>([
    {},
    { compression: "zstd" },
    { compression: "lz4", noSummary: true },
    { noMessageIndex: true },
    { noSummary: true, noMessageIndex: true, noCrc: true },
  ])("hold what larger ones hold: %j", async (options) => {
    const large = await read(await written({ chunkBytes: 65_536 }));
    const small = await read(await written(options));
    expect(small.all).toEqual(large.all);
    expect({ ...small.summary, warnings: [] }).toEqual({ ...large.summary, warnings: [] });
    expect(small.summary.warnings).toEqual(options.noSummary ? [expect.stringContaining("no index")] : []);
  });

  it("are read with few requests, also a part of them", async () => {
    const file = await written();
    let requests = 0;
    const read = (offset: number, length: number): Promise<Uint8Array> => {
      requests += 1;
      return Promise.resolve(file.subarray(offset, offset + length));
    };
    const all = await drain([file]);
    const reader = await openRecording([{ size: file.length, read }], await recordingCodecs());
    await reader.summary();
    expect(await drainReader(reader)).toEqual(all);
    expect(requests).toBeLessThan(120);
    const part = await drainReader(reader, { topics: new Set(["/b"]), start: all[2_000]!.time, end: all[2_100]!.time });
    expect(part).toEqual(all.slice(2_000, 2_101).filter(({ topic }) => topic === "/b"));
  });

  it("one that is broken costs its own message, and leaves its own gap", async () => {
    const file = await written();
    const at = listChunks(file)[500]!;
    file.fill(0xff, at + 9 + 32, at + 9 + 36);
    const { all, summary } = await read(file);
    expect(all).toHaveLength(messages.length - 1);
    expect(summary.warnings.join()).toContain(`The chunk at byte ${at.toLocaleString("en")}`);
    const gaps = summary.gaps.filter(({ kind }) => kind === "truncated");
    expect(gaps).toEqual([{ kind: "truncated", startTime: messages[500]!.time, endTime: messages[500]!.time }]);
  });

  it("that are not those of the index are read through instead", async () => {
    const file = await written({ noCrc: true });
    const at = listChunks(file)[500]!;
    // A padding record where a chunk was.
    file[at] = 0x80;
    const { all, summary } = await read(file);
    expect(all).toHaveLength(messages.length - 1);
    expect(summary.warnings.join()).toContain("The index does not agree with the stored chunks");
  });

  it("that declare more than the index says are refused before they are decompressed", async () => {
    const file = await written({ compression: "zstd", noCrc: true });
    for (const at of listChunks(file).slice(100, 2_000)) file.writeBigUInt64LE(60n * 1024n * 1024n, at + 9 + 16);
    await expect(read(file)).rejects.toThrow("decompress to more than 200 times");
  });
});
