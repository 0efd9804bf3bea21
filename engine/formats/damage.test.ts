import { describe, expect, it } from "vitest";
import { memorySource, type ByteSource } from "@/engine/formats/byte-source";
import { openRecording } from "@/engine/formats/reader/reader";
import type { RecordingSummary } from "@/engine/formats/recording";
import { bz2Bag, plainBag } from "@/engine/testing/bz2-bag";
import { drain, drainReader, openBytes } from "@/engine/testing/drain";
import { compressLz4 } from "@/engine/testing/lz4-writer";
import { RecordBytes } from "@/engine/testing/record-bytes";
import { writeBag } from "@/engine/testing/write-bag";
import { writeMcap, mcapRecord, type McapOptions, type TestChannel } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

const channels: TestChannel[] = [
  {
    topic: "/a",
    messageEncoding: "ros1",
    schemaName: "std_msgs/Float64",
    schemaEncoding: "ros1msg",
    schema: "float64 data\n",
  },
];
const messages = Array.from({ length: 400 }, (_, i) => ({
  topic: "/a",
  time: BigInt(i) * 10_000_000n + 1_000_000_000n,
  data: Buffer.alloc(8, i),
}));
const written = (options: McapOptions = {}) => writeMcap(channels, messages, { chunkBytes: 2000, ...options });

async function read(file: Uint8Array): Promise<{ summary: RecordingSummary; count: number }> {
  const reader = await openBytes([file]);
  const count = (await drainReader(reader)).length;
  return { summary: await reader.summary(), count };
}

/** Where the nth record with an opcode starts. */
function recordAt(file: Buffer, op: number, nth = 0): number {
  for (let at = 8; at + 9 <= file.length; at += 9 + Number(file.readBigUInt64LE(at + 1))) {
    if (file[at] === op && nth-- === 0) return at;
  }
  throw new Error("no such record");
}

describe("a file that is cut off", () => {
  it("anywhere yields every message that is still complete", async () => {
    for (const compression of ["", "zstd", "lz4"] as const) {
      const file = await written({ compression });
      const chunk = recordAt(file, 0x06, 3);
      for (const end of [8, 9, 100, chunk, chunk + 5, chunk + 60, chunk + 900, file.length - 40, file.length - 1]) {
        const { summary, count } = await read(file.subarray(0, end));
        expect(summary.truncated).toBe(true);
        expect(summary.messageCount).toBe(count);
        const all = await drain([file]);
        expect(await drain([file.subarray(0, end)])).toEqual(all.slice(0, count));
        if (end >= chunk) expect(count).toBeGreaterThanOrEqual(3 * 48);
        if (end > file.length - 100) expect(count).toBe(400);
      }
    }
  });

  it("within an uncompressed or lz4 chunk yields that chunk's first messages too", async () => {
    for (const compression of ["", "lz4"] as const) {
      const file = await written({ compression });
      const before = await read(file.subarray(0, recordAt(file, 0x06, 3)));
      const within = await read(file.subarray(0, recordAt(file, 0x06, 3) + (compression === "" ? 1500 : 700)));
      expect(within.count).toBeGreaterThan(before.count);
    }
  });

  it("has a gap at its end, up to the last known time", async () => {
    const file = await written({ compression: "zstd" });
    const { summary } = await read(file.subarray(0, recordAt(file, 0x06, 3) + 300));
    const gap = summary.gaps.at(-1)!;
    expect(gap.kind).toBe("truncated");
    expect(gap.startTime).toBe(summary.endTime);
    expect(gap.endTime).toBeGreaterThan(gap.startTime);
    expect(summary.warnings).toContain("The file is cut off: it ends before its recorder closed it.");
  });

  it("as a bag yields every message that is still complete", async () => {
    const file = writeBag(channels, messages, { chunkBytes: 2000 });
    const all = await drain([file]);
    for (const share of [0.3, 0.6, 0.95]) {
      const part = file.subarray(0, Math.floor(file.length * share));
      const { summary, count } = await read(part);
      expect(summary).toMatchObject({ truncated: true, messageCount: count });
      expect(await drain([part])).toEqual(all.slice(0, count));
      expect(count).toBeGreaterThan(400 * (share - 0.2));
    }
  });
});

describe("a wrong index", () => {
  it("beyond the end, with a wrong checksum or with one chunk twice is not used", async () => {
    const beyond = await written();
    beyond.writeBigUInt64LE(2n ** 60n, beyond.length - 28);
    const wrong = await written();
    wrong[recordAt(wrong, 0x08) + 20]! ^= 1;
    const twice = await written({ noCrc: true });
    twice.copy(twice, recordAt(twice, 0x08, 1), recordAt(twice, 0x08, 0), recordAt(twice, 0x08, 1));
    for (const file of [beyond, wrong, twice]) {
      const { summary, count } = await read(file);
      expect(count).toBe(400);
      expect(summary).toMatchObject({ messageCount: 400, truncated: false });
      expect(summary.warnings.join()).toContain("the file was read through instead");
    }
  });

  it("with missing or misplaced chunks hides no messages", async () => {
    const hidden = await written({ noCrc: true });
    // Changed to a kind of record that is skipped.
    for (const nth of [0, 0, 0]) hidden[recordAt(hidden, 0x08, nth)] = 0x7f;
    expect((await read(hidden)).count).toBe(400);
    const moved = await written({ noCrc: true });
    const entry = recordAt(moved, 0x08, 2) + 9;
    moved.writeBigUInt64LE(moved.readBigUInt64LE(entry + 16) + 3n, entry + 16);
    expect((await read(moved)).count).toBe(400);
  });

  it.each(["forwards", "backwards"])("that lists chunks that are not there is not used, stored %s", async (order) => {
    const large = messages.map(({ topic, time }) => ({ topic, time, data: Buffer.alloc(1_000) }));
    if (order === "backwards") large.reverse();
    for (const nth of [1, 7, 19]) {
      const file = await writeMcap(channels, large, { chunkBytes: 20_000, noCrc: true });
      // A kind of record that is skipped, where a chunk was.
      file[recordAt(file, 0x06, nth)] = 0x80;
      const reader = await openBytes([file]);
      const summary = await reader.summary();
      expect(summary.warnings).toEqual([
        "The index does not agree with the stored chunks; the file was read through instead.",
        "The message indexes do not add up to the file's own count; every chunk was counted instead.",
      ]);
      expect(summary.messageCount).toBe(380);
      expect(await drainReader(reader)).toHaveLength(380);
    }
  });

  it("is compared with the stored chunks by the requests that read it", async () => {
    const large = messages.map(({ topic, time }) => ({ topic, time, data: Buffer.alloc(1_000) }));
    const file = await writeMcap(channels, large, { chunkBytes: 20_000 });
    let requests = 0;
    const memory = memorySource(file);
    const read: ByteSource["read"] = (offset, length) => {
      requests += 1;
      return memory.read(offset, length);
    };
    const reader = await openRecording([{ size: memory.size, read }], await recordingCodecs());
    expect(await reader.summary()).toMatchObject({ messageCount: 400, warnings: [] });
    // One for each of the 20 chunks, and those of the file's beginning and end.
    expect(requests).toBeLessThan(30);
  });

  it("of messages that is inconsistent is recounted", async () => {
    const file = await written({ chunkBytes: 9000 });
    const at = recordAt(file, 0x07);
    file.writeUInt32LE(16, at + 11);
    const { summary, count } = await read(file);
    expect(count).toBe(400);
    expect(summary.messageCount).toBe(400);
    expect(summary.warnings.join()).toContain("do not add up");
  });

  it("with too late a start of a chunk still yields messages in order", async () => {
    const file = await written({ noSummary: true });
    const chunk = recordAt(file, 0x06, 2) + 9;
    file.writeBigUInt64LE(file.readBigUInt64LE(chunk + 8), chunk);
    const reader = await openBytes([file]);
    const summary = await reader.summary();
    expect(summary.messageCount).toBe(400);
    expect(summary.topics[0]).toMatchObject({ medianPeriodNs: 10_000_000n });
    expect(await drainReader(reader)).toEqual(await drain([await written()]));
  });
});

describe("damaged chunks", () => {
  it("with a wrong checksum are read with a warning", async () => {
    const file = await written();
    const chunk = recordAt(file, 0x06, 1) + 9;
    file.writeUInt32LE(123, chunk + 24);
    const { summary, count } = await read(file);
    expect(count).toBe(400);
    expect(summary.warnings.join()).toContain("wrong checksum");
  });

  it.each(["zstd", "lz4"] as const)(
    "a broken %s chunk costs only its own messages, and leaves a gap",
    async (compression) => {
      const file = await written({ compression });
      const chunk = recordAt(file, 0x06, 2);
      // From the first byte of the compressed records, or later where what precedes the damage can be read.
      file.fill(0xff, chunk + (compression === "zstd" ? 53 : 69), chunk + 209);
      const { summary, count } = await read(file);
      expect(count).toBeGreaterThanOrEqual(340);
      expect(count).toBeLessThan(400);
      expect(summary.warnings.join()).toContain("is damaged");
      expect(summary.gaps).toContainEqual(expect.objectContaining({ kind: "truncated" }));
    },
  );

  it("with lz4 do not affect the chunks and files read after them", async () => {
    const broken = await written({ compression: "lz4" });
    broken.fill(0xee, recordAt(broken, 0x06) + 80, recordAt(broken, 0x06) + 400);
    const good = await written({ compression: "lz4" });
    await drain([broken]);
    for (let i = 0; i < 3; i++) expect(await drain([good])).toHaveLength(400);
  });

  it("uncompressed lz4 blocks are read like compressed ones", async () => {
    const plain = writeBag(channels, messages, { chunkBytes: 2000 });
    const stored = writeBag(channels, messages, {
      chunkBytes: 2000,
      compression: "lz4",
      compress: (records) => compressLz4(records, { stored: true }),
    });
    expect(await drain([stored])).toEqual(await drain([plain]));
  });

  it("bz2 chunks of bags are read", async () => {
    expect(await drain([bz2Bag()])).toEqual(await drain([plainBag()]));
  });

  it("chunks of an unknown compression are left out with a warning", async () => {
    const file = writeBag(channels, messages, { compress: (records) => records });
    const at = file.indexOf("compression=none");
    file.write("xyzw", at + "compression=".length);
    expect((await read(file)).summary.warnings.join()).toContain('"xyzw"');
  });
});

describe("odd records", () => {
  it("messages of undefined channels, or later than 2262, are left out with a warning", async () => {
    const file = await written({ chunkBytes: 0 });
    const second = recordAt(file, 0x05, 1) + 9;
    file.writeUInt16LE(999, second);
    const third = recordAt(file, 0x05, 2) + 9;
    file.writeBigUInt64LE(2n ** 64n - 1n, third + 6);
    const { summary, count } = await read(file);
    expect(count).toBe(398);
    expect(summary.warnings).toHaveLength(3);
  });

  it("records of unknown kinds are skipped", async () => {
    const file = await written({ noSummary: true });
    const at = recordAt(file, 0x06, 1);
    const extra = mcapRecord(0x90, new RecordBytes().text("something of a later version"));
    expect((await read(Buffer.concat([file.subarray(0, at), extra, file.subarray(at)]))).count).toBe(400);
  });
});
