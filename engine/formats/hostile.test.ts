import { describe, expect, it } from "vitest";
import { Allowance, type ReaderLimits } from "@/engine/formats/limits";
import { RecordingError } from "@/engine/formats/recording-error";
import { drainReader, openBytes } from "@/engine/testing/drain";
import { RecordBytes } from "@/engine/testing/record-bytes";
import { writeBag, bagRecord } from "@/engine/testing/write-bag";
import { writeMcap, mcapRecord, type TestChannel } from "@/engine/testing/write-mcap";

const MIB = 1024 * 1024;
const MAGIC = Buffer.from([0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a]);
const channels: TestChannel[] = [{ topic: "/a", messageEncoding: "json" }];
const message = (time: bigint, bytes = 10) => ({ topic: "/a", time, data: Buffer.alloc(bytes, 65) });

async function readAll(file: Uint8Array, limits: ReaderLimits = {}): Promise<number> {
  const reader = await openBytes([file], limits);
  await reader.summary();
  return (await drainReader(reader)).length;
}

function chunk(
  uncompressed: bigint | number,
  compressed: bigint | number,
  compression = "zstd",
  body = Buffer.alloc(100),
): Buffer {
  const head = new RecordBytes().u64(0).u64(1).u64(uncompressed).u32(0).text(compression).u64(compressed);
  return mcapRecord(0x06, head.raw(body));
}

const closing = Buffer.concat([
  mcapRecord(0x0f, new RecordBytes().u32(0)),
  mcapRecord(0x02, new RecordBytes().u64(0).u64(0).u32(0)),
  MAGIC,
]);

describe("caps", () => {
  it.each([
    ["4 GB uncompressed", chunk(4 * 1024 * MIB, 100)],
    ["more than a number can hold", chunk(2n ** 63n, 100)],
    ["4 GB compressed, cut off", chunk(1000, 4 * 1024 * MIB)],
    ["one byte too much", chunk(64 * MIB + 1, 100)],
  ])("a chunk that declares %s is refused before it is decompressed", async (_name, record) => {
    await expect(readAll(Buffer.concat([MAGIC, record, closing]))).rejects.toThrow(RecordingError);
  });

  it("a bag's chunk that declares 4 GB is refused", async () => {
    const file = writeBag(channels, [message(1n)], { compression: "lz4" });
    file.writeUInt32LE(0xffff_ffff, file.indexOf("size=", 4109) + 5);
    await expect(readAll(file)).rejects.toThrow("uncompressed");
  });

  const before = [message(1_000_000_000n), message(2_000_000_000n)];
  const large = message(3_000_000_000n, 5000);
  const after = [message(4_000_000_000n)];
  it.each([
    ["chunks with an index", () => writeMcap(channels, [...before, large, ...after], { chunkBytes: 1 })],
    [
      "chunks without an index",
      () => writeMcap(channels, [...before, large, ...after], { chunkBytes: 1, noSummary: true }),
    ],
    [
      "compressed chunks",
      () => writeMcap(channels, [...before, large, ...after], { chunkBytes: 1, compression: "lz4" }),
    ],
    ["no chunks", () => writeMcap(channels, [...before, large, ...after], { chunkBytes: 0 })],
    ["a bag", () => Promise.resolve(writeBag(channels, [...before, large, ...after], { chunkBytes: 1 }))],
    [
      "an unclosed bag",
      () => Promise.resolve(writeBag(channels, [...before, large, ...after], { chunkBytes: 1, unclosed: true })),
    ],
  ])("a message too large to be read leaves a warning and a gap in %s", async (_name, write) => {
    const limits = { maxChunkBytes: 4000 };
    const reader = await openBytes([await write()], limits);
    const { warnings, gaps, messageCount } = await reader.summary();
    expect(messageCount).toBe(3);
    expect(warnings.filter((text) => text.includes("left out; at most"))).toHaveLength(1);
    expect(gaps.filter(({ kind, startTime }) => kind === "truncated" && startTime === large.time)).toHaveLength(1);
    expect((await drainReader(reader)).map(({ time }) => time)).toEqual([...before, ...after].map(({ time }) => time));
    await expect(readAll(await write(), { maxChunkBytes: 10 })).rejects.toThrow("left out");
  });

  it("chunks that decompress to 200 times the files are refused, however small each is", async () => {
    const bomb = await writeMcap(channels, [message(1n, 100_000), message(2n, 100_000)], { compression: "zstd" });
    await expect(readAll(bomb, { ratioFloorBytes: 200_000 })).rejects.toThrow("200 times");
    expect(await readAll(bomb, { ratioFloorBytes: 200_000, maxRatio: 2000 })).toBe(2);
    expect(await readAll(bomb)).toBe(2);
    const bag = writeBag(channels, [message(1n, 100_000)], { compression: "lz4" });
    await expect(readAll(bag, { ratioFloorBytes: 99_999, maxRatio: 2 })).rejects.toThrow("2 times");
    expect(await readAll(bag)).toBe(1);
  });

  it("a wrong uncompressed size costs no more memory than declared", async () => {
    const file = await writeMcap(channels, [message(1n, 5000)], { compression: "zstd", noSummary: true });
    const at = file.indexOf(Buffer.from("zstd")) - 16;
    file.writeBigUInt64LE(10n, at);
    await expect(readAll(file)).rejects.toThrow("damaged");
  });

  it("too many channels are refused, also when they reuse one id over and over", async () => {
    const record = (id: number, topic: string) =>
      mcapRecord(0x04, new RecordBytes().u16(id).u16(0).text(topic).text("json").u32(0));
    const reused = Array.from({ length: 1200 }, (_, i) => record(7, `/topic/${i}`));
    const limits = { maxChannels: 1000 };
    await expect(readAll(Buffer.concat([MAGIC, ...reused, closing]), limits)).rejects.toThrow(
      "more than 1,000 channels",
    );
    const repeated = Array.from({ length: 1200 }, () => record(7, "/same"));
    expect(await readAll(Buffer.concat([MAGIC, ...repeated, closing]), limits)).toBe(0);
    const connections = Array.from({ length: 1200 }, (_, i) =>
      bagRecord(
        { op: Buffer.from([7]), conn: new RecordBytes().u32(i).done(), topic: Buffer.from(`/${i}`) },
        Buffer.alloc(0),
      ),
    );
    const bag = writeBag(channels, [], { unclosed: true });
    await expect(readAll(Buffer.concat([bag, ...connections]), limits)).rejects.toThrow("more than 1,000 channels");
  });

  it("too large a schema and too many large schemas are refused", async () => {
    const schema = (id: number, bytes: number) =>
      mcapRecord(0x03, new RecordBytes().u16(id).text("big").text("ros1msg").u32(bytes).raw(Buffer.alloc(bytes)));
    await expect(readAll(Buffer.concat([MAGIC, schema(1, 16 * MIB + 1), closing]))).rejects.toThrow("A schema holds");
    const limits = { maxSchemaBytes: 10_000 };
    const several = [1, 2, 3, 4, 5].map((id) => schema(id, 9000));
    await expect(readAll(Buffer.concat([MAGIC, ...several, closing]), limits)).rejects.toThrow("schemas together");
  });

  it("the time budget ends reading and counts only the reader's own work", async () => {
    const messages = Array.from({ length: 500 }, (_, i) => message(BigInt(i)));
    const file = await writeMcap(channels, messages, { chunkBytes: 100 });
    let clock = 0;
    await expect(readAll(file, { timeBudgetMs: 5, now: () => (clock += 1) })).rejects.toThrow("Reading took longer");
    const allowance = new Allowance({ timeBudgetMs: 50, now: () => clock });
    allowance.resume();
    clock += 30;
    allowance.pause();
    clock += 1000;
    allowance.resume();
    clock += 15;
    expect(() => allowance.checkTime()).not.toThrow();
    clock += 10;
    expect(() => allowance.checkTime()).toThrow(RecordingError);
  });
});

describe("loops and false lengths", () => {
  it("lengths beyond the file end the walk instead of being allocated", async () => {
    for (const length of [2n ** 64n - 1n, 2n ** 53n, 2n ** 32n]) {
      const record = Buffer.concat([new RecordBytes().u8(0x09).u64(length).done(), Buffer.alloc(50)]);
      expect(await readAll(Buffer.concat([MAGIC, record]))).toBe(0);
    }
    const bag = writeBag(channels, [message(1n)], { unclosed: true });
    expect(await readAll(Buffer.concat([bag, Buffer.from([0xff, 0xff, 0xff, 0x7f, 1, 2, 3])]))).toBe(1);
  });

  it("a bag whose chunk infos all point at one chunk is read sequentially once", async () => {
    const messages = Array.from({ length: 60 }, (_, i) => message(BigInt(i)));
    const file = writeBag(channels, messages, { chunkBytes: 500 });
    const first = file.indexOf("chunk_pos=");
    for (let at = first; at >= 0; at = file.indexOf("chunk_pos=", at + 1))
      file.copy(file, at + 10, first + 10, first + 18);
    expect(await readAll(file)).toBe(60);
  });

  it("any bytes after the magic are handled with bounded work and without defects", async () => {
    let state = 7;
    const next = (): number => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 16;
    const base = [
      await writeMcap(
        channels,
        Array.from({ length: 40 }, (_, i) => message(BigInt(i))),
        { chunkBytes: 300, compression: "lz4" },
      ),
      await writeMcap(
        channels,
        Array.from({ length: 40 }, (_, i) => message(BigInt(i))),
        { chunkBytes: 300, compression: "zstd" },
      ),
      writeBag(
        channels,
        Array.from({ length: 40 }, (_, i) => message(BigInt(i))),
        { chunkBytes: 300 },
      ),
    ];
    for (let run = 0; run < 300; run++) {
      const file = Buffer.from(base[run % base.length]!);
      for (let i = 0; i <= run % 7; i++) file[13 + (next() % (file.length - 13))] = next() & 0xff;
      try {
        expect(await readAll(file)).toBeLessThanOrEqual(60);
      } catch (error) {
        expect(error).toBeInstanceOf(RecordingError);
      }
    }
  });

  it("a warning is always a single line", async () => {
    const missing = new RecordBytes().u16(1).u16(7).text("/a\n\u202e\u0000b").text("json").u32(0);
    const file = Buffer.concat([MAGIC, mcapRecord(0x04, missing), closing]);
    const { warnings } = await (await openBytes([file])).summary();
    expect(warnings).toContain('The schema of topic "/a \\u0000b" is missing from the file.');
  });
});
