import fs from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { memorySource } from "@/engine/formats/byte-source";
import { createJob, isDone, readJob, type ChunkJob } from "@/engine/formats/chunk-job";
import { eachRecord, Op, readChunkHead } from "@/engine/formats/mcap-records";
import { SharedMemory } from "@/engine/formats/shared-memory";
import { comparePasses, makeRules } from "@/engine/testing/compare-passes";
import { writeMcap } from "@/engine/testing/write-mcap";
import { ChunkUnpacker, chunkUnpacker } from "@/server/platform/chunk-unpacker";
import { recordingCodecs, zstdDecoder } from "@/server/platform/recording-codecs";
import { bundlePrograms } from "@/server/testing/command-line";

let folder: string;
let program: URL;

beforeAll(async () => {
  fs.mkdirSync(".test", { recursive: true });
  folder = fs.mkdtempSync(path.resolve(".test/chunk-unpacker-"));
  await bundlePrograms(["server/platform/chunk-unpacker-thread.ts"], folder);
  program = pathToFileURL(path.join(folder, "chunk-unpacker-thread.mjs"));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const write = (compression: "" | "lz4" | "zstd"): Promise<Buffer> =>
  writeMcap(
    [{ topic: "/a", messageEncoding: "json" }],
    Array.from({ length: 6_000 }, (_, i) => ({
      topic: "/a",
      time: 1_760_000_000_000_000_000n + BigInt(i) * 1_000_000n,
      sequence: i,
      data: Buffer.from(JSON.stringify({ speed: Math.sin(i / 50), level: i, text: "x".repeat(i % 90) })),
    })),
    { compression, chunkBytes: 100_000 },
  );

/** A job for the first chunk of a file. */
function firstJob(file: Buffer, compression: "none" | "lz4" | "zstd"): ChunkJob {
  let body: Uint8Array | null = null;
  eachRecord(file.subarray(8), (op, at, length) => {
    if (op === Op.Chunk) body ??= file.subarray(8 + at, 8 + at + length);
  });
  if (body === null) throw new Error("no chunk");
  const { bodyOffset, compressedBytes, uncompressedBytes: size, crc } = readChunkHead(body);
  const packed = (body as Uint8Array).subarray(bodyOffset, bodyOffset + compressedBytes);
  const task = { packed, compression, size, crc, slots: new Int32Array([-1, 0]), start: null, end: null };
  return createJob(task, new SharedMemory().take(size));
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await nextTurn();
};

describe("the thread that unpacks chunks", () => {
  it.each(["none", "lz4", "zstd"] as const)("decompresses, checks and scans one: %s", async (compression) => {
    const unpacker = new ChunkUnpacker(program, { zstd: await zstdDecoder() });
    const file = await write(compression === "none" ? "" : compression);
    const job = firstJob(file, compression);
    unpacker.begin(job);
    await until(() => isDone(job));
    const { records, count, sound, leftOut } = readJob(job)!;
    expect((await recordingCodecs()).crc32(records)).toBe(job.crc);
    expect(count).toBeGreaterThan(500);
    expect({ sound, leftOut }).toEqual({ sound: true, leftOut: { unknown: 0, impossible: 0 } });
    await unpacker.stop();
  });

  it("is waited for while it is at a chunk", async () => {
    const unpacker = new ChunkUnpacker(program, { zstd: await zstdDecoder() });
    const file = await write("zstd");
    const jobs = Array.from({ length: 40 }, () => firstJob(file, "zstd"));
    for (const job of jobs) unpacker.begin(job);
    for (const job of jobs) {
      while (!isDone(job)) {
        await unpacker.settle(job);
        await nextTurn();
      }
      expect(readJob(job)).toMatchObject({ sound: true });
    }
    await unpacker.stop();
  });

  it("that fails leaves its chunks to their readers", async () => {
    const failing = path.join(folder, "failing.mjs");
    fs.writeFileSync(
      failing,
      `import { parentPort } from "node:worker_threads";
       parentPort.on("message", ({ job }) => { Atomics.store(job.state, 0, 1); throw new Error("out of order"); });`,
    );
    const unpacker = new ChunkUnpacker(pathToFileURL(failing), { zstd: await zstdDecoder() });
    const file = await write("zstd");
    const [job, next] = [firstJob(file, "zstd"), firstJob(file, "zstd")];
    unpacker.begin(job);
    await until(() => job.state[0] !== 0);
    await unpacker.settle(job);
    expect(isDone(job)).toBe(false);
    unpacker.begin(next);
    await unpacker.settle(next);
    expect(next.state[0]).toBe(0);
  });

  it("changes nothing of what a pass finds", async () => {
    const thread = (await chunkUnpacker(program))!;
    const codecs = await recordingCodecs();
    for (const compression of ["", "lz4", "zstd"] as const) {
      const files = [memorySource(await write(compression))];
      const rules = await makeRules(files, codecs);
      expect((await comparePasses(files, rules, { codecs, thread })).differences).toEqual([]);
    }
  });
});

it("there is no thread where its program is not", async () => {
  expect(await chunkUnpacker(pathToFileURL(path.join(folder, "missing.mjs")))).toBeNull();
});
