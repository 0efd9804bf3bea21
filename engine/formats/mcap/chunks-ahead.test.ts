import { describe, expect, it } from "vitest";
import { memorySource, type ByteSource } from "@/engine/formats/byte-source";
import { claimJob, type ChunkJob, type UnpackThread } from "@/engine/formats/mcap/chunk-job";
import { chunksHandedOver } from "@/engine/formats/mcap/chunks-ahead";
import { SharedMemory } from "@/engine/formats/mcap/shared-memory";
import { openRecording } from "@/engine/formats/reader/reader";
import { makeThreads } from "@/engine/testing/unpack-threads";
import { writeMcap, type McapOptions } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

const codecs = await recordingCodecs();
const threads = makeThreads(codecs);
const count = 3_000;

/** Chunks of many sizes, so that memory is used again for larger and for smaller ones. */
const write = (options: McapOptions): Promise<Buffer> =>
  writeMcap(
    [
      { topic: "/a", messageEncoding: "json" },
      { topic: "/b", messageEncoding: "json" },
    ],
    Array.from({ length: count }, (_, i) => ({
      topic: i % 3 === 0 ? "/b" : "/a",
      time: 1_760_000_000_000_000_000n + BigInt(i) * 1_000_000n,
      sequence: i,
      data: Buffer.from(JSON.stringify({ i, text: "x".repeat((i * 7) % 500) })),
    })),
    { chunkBytes: 20_000, ...options },
  );

/** Puts bytes where it is asked to, as the disk does: that memory is seen by other threads. */
const fillingSource = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  read(offset, length, target) {
    const part = bytes.subarray(offset, offset + length);
    if (target === undefined) return Promise.resolve(new Uint8Array(part));
    target.set(part);
    return Promise.resolve(target.subarray(0, part.length));
  },
});

/** All messages in the order of the chunks, as text, and the warnings. */
async function readAll(
  source: ByteSource,
  thread: UnpackThread | null,
): Promise<{ rows: string[]; warnings: string[] }> {
  const reader = await openRecording([source], codecs, {}, thread);
  await reader.summary();
  const rows: string[] = [];
  for await (const { table } of reader.chunks()) {
    for (let row = 0; row < table.count; row++) {
      const { channel, logTime, publishTime, sequence, data } = table.message(row)!;
      rows.push([channel.topic, logTime, publishTime, sequence, Buffer.from(data).toString("latin1")].join());
    }
  }
  return { rows, warnings: (await reader.summary()).warnings };
}

/** Where the records of a file's chunks begin, their heads behind them. */
function findChunks(file: Buffer): number[] {
  const found: number[] = [];
  for (let at = 8; at + 9 <= file.length; at += 9 + Number(file.readBigUInt64LE(at + 1)))
    if (file[at] === 6) found.push(at);
  return found;
}

describe.each(Object.entries(threads))("%s", (_, thread) => {
  it.each(["", "lz4", "zstd"] as const)("leaves what is read the same: compression '%s'", async (compression) => {
    const file = await write({ compression });
    const expected = await readAll(memorySource(file), null);
    expect(expected.rows).toHaveLength(count);
    expect(await readAll(memorySource(file), thread)).toEqual(expected);
    expect(await readAll(fillingSource(file), thread)).toEqual(expected);
  });

  it("leaves the same out of damaged chunks, with the same warnings", async () => {
    const file = await write({ compression: "zstd" });
    const chunks = findChunks(file);
    file.writeUInt32LE(7, chunks[3]! + 9 + 24); // the checksum
    file.fill(0xff, chunks[5]! + 9 + 60, chunks[5]! + 9 + 90);
    file.writeBigUInt64LE(60_000_000_000n, chunks[8]! + 9 + 16); // the size
    const expected = await readAll(memorySource(file), null);
    expect(expected.warnings).toHaveLength(3);
    expect(expected.rows.length).toBeLessThan(count);
    expect(await readAll(memorySource(file), thread)).toEqual(expected);
  });
});

describe("a pass", () => {
  it("hands over the chunks that come next, and no more", async () => {
    let [begun, taken] = [0, 0];
    const thread: UnpackThread = {
      leastBytes: 0,
      memory: new SharedMemory(),
      begin: () => void begun++,
      settle: () => Promise.resolve(),
    };
    const reader = await openRecording([memorySource(await write({}))], codecs, {}, thread);
    await reader.summary();
    for await (const { table } of reader.chunks()) {
      expect(table.count).toBeGreaterThan(0);
      taken += 1;
      expect(begun).toBeLessThanOrEqual(taken + chunksHandedOver);
    }
    expect(begun).toBe(taken);
  });

  it.each([
    ["that fit together into one request", 550_000],
    ["each with a request of its own", 1_500_000],
    ["that are too large for the thread", 4_500_000],
  ])("reads each chunk once, into memory of recordings before: chunks %s", async (_, chunkBytes) => {
    const file = await writeMcap(
      [{ topic: "/a", messageEncoding: "" }],
      Array.from({ length: 1_200 }, (__, i) => ({
        topic: "/a",
        time: 1_760_000_000_000_000_000n + BigInt(i) * 1_000_000n,
        data: Buffer.alloc(25_000, i),
      })),
      { compression: "", chunkBytes },
    );
    let [read, allocated] = [0, 0];
    const source = fillingSource(file);
    const counting: ByteSource = {
      ...source,
      read(offset, length, target) {
        read += Math.min(length, file.length - offset);
        return source.read(offset, length, target);
      },
    };
    const memory = new SharedMemory();
    const { take } = memory.pieces;
    const pieces = new Set<ArrayBufferLike>();
    memory.pieces.take = (length) => {
      const piece = take.call(memory.pieces, length);
      pieces.add(piece.buffer);
      return piece;
    };
    const thread: UnpackThread = { ...threads["a thread that is always first"]!, memory };
    for (let recording = 0; recording < 4; recording++) {
      read = 0;
      expect((await readAll(counting, thread)).rows).toHaveLength(1_200);
      expect(read).toBeLessThan(1.05 * file.length);
      if (recording === 1) allocated = pieces.size;
    }
    expect(pieces.size).toBe(allocated);
  });

  it("that ends early leaves nothing to the thread", async () => {
    const jobs: ChunkJob[] = [];
    const thread: UnpackThread = {
      leastBytes: 0,
      memory: new SharedMemory(),
      begin: (job) => void jobs.push(job),
      settle: () => Promise.resolve(),
    };
    const reader = await openRecording([memorySource(await write({}))], codecs, {}, thread);
    await reader.summary();
    for await (const { table } of reader.chunks()) if (table.message(0)!.sequence > 500) break;
    expect(jobs.length).toBeGreaterThan(5);
    expect(jobs.filter(claimJob)).toEqual([]);
    // Another pass of the same reader begins anew.
    let rows = 0;
    for await (const { table } of reader.chunks()) rows += table.count;
    expect(rows).toBe(count);
  });

  it.each([
    ["", memorySource],
    ["zstd", memorySource],
    ["", fillingSource],
    ["zstd", fillingSource],
  ] as const)("uses the memory of recordings before: compression '%s'", async (compression, toSource) => {
    const seen = new Set<ArrayBufferLike>();
    const prompt = threads["a thread that is always first"]!;
    const thread: UnpackThread = {
      ...prompt,
      memory: new SharedMemory(),
      begin(job) {
        for (const { buffer } of [job.packed, job.records]) seen.add(buffer);
        seen.add(job.rows);
        prompt.begin(job);
      },
    };
    // Longer than what is read with its neighbours.
    const file = await write({ compression, chunkBytes: compression === "" ? 90_000 : 400_000 });
    const sizes: number[] = [];
    for (let recording = 0; recording < 5; recording++) {
      await readAll(toSource(file), thread);
      sizes.push(seen.size);
    }
    expect(sizes[0]).toBeGreaterThan(0);
    expect(sizes.slice(1)).toEqual(Array.from({ length: 4 }, () => sizes[1]));
  });
});
