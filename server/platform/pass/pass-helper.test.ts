import { createHash, randomBytes, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { memorySource } from "@/engine/formats/byte-source";
import { createJob, isDone, readJob, type ChunkJob } from "@/engine/formats/mcap/chunk-job";
import { eachRecord, Op, readChunkHead } from "@/engine/formats/mcap/mcap-records";
import { SharedMemory } from "@/engine/formats/mcap/shared-memory";
import { comparePasses, makeRules } from "@/engine/testing/compare-passes";
import { writeMcap } from "@/engine/testing/write-mcap";
import { recordingCodecs, zstdDecoder } from "@/server/platform/files/recording-codecs";
import { PassHelper, passHelper } from "@/server/platform/pass/pass-helper";
import { partBytes } from "@/server/platform/storage/part-size";
import { bundlePrograms } from "@/server/testing/command-line";

const hash = (bytes: Uint8Array) => createHash("md5").update(bytes);

let folder: string;
let program: URL;

beforeAll(async () => {
  fs.mkdirSync(".test", { recursive: true });
  folder = fs.mkdtempSync(path.resolve(".test/pass-helper-"));
  await bundlePrograms(["server/platform/pass/pass-helper-thread.ts"], folder);
  program = pathToFileURL(path.join(folder, "pass-helper-thread.mjs"));
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

describe("the thread beside the pass", () => {
  it.each(["none", "lz4", "zstd"] as const)("decompresses, checks and scans one: %s", async (compression) => {
    const helper = new PassHelper(program, { zstd: await zstdDecoder() });
    const file = await write(compression === "none" ? "" : compression);
    const job = firstJob(file, compression);
    helper.begin(job);
    await until(() => isDone(job));
    const { records, count, sound, leftOut } = readJob(job)!;
    expect((await recordingCodecs()).crc32(records)).toBe(job.crc);
    expect(count).toBeGreaterThan(500);
    expect({ sound, leftOut }).toEqual({ sound: true, leftOut: { unknown: 0, impossible: 0, broken: 0 } });
    await helper.stop();
  });

  it("is waited for while it is at a chunk", async () => {
    const helper = new PassHelper(program, { zstd: await zstdDecoder() });
    const file = await write("zstd");
    const jobs = Array.from({ length: 40 }, () => firstJob(file, "zstd"));
    for (const job of jobs) helper.begin(job);
    for (const job of jobs) {
      while (!isDone(job)) {
        await helper.settle(job);
        await nextTurn();
      }
      expect(readJob(job)).toMatchObject({ sound: true });
    }
    await helper.stop();
  });

  it("compares files with their tags, several beside each other and beside chunks", async () => {
    const helper = new PassHelper(program, { zstd: await zstdDecoder() });
    const [large, small] = [randomBytes(9_000_000), randomBytes(100)];
    const parts = [large.subarray(0, partBytes), large.subarray(partBytes)].map((part) => hash(part).digest());
    const inParts = `"${hash(Buffer.concat(parts)).digest("hex")}-2"`;
    const compare = async (bytes: Buffer, etag: string): Promise<boolean | null | "ended"> => {
      const file = path.join(folder, randomUUID());
      await fs.promises.writeFile(file, bytes);
      const handle = await fs.promises.open(file);
      const tagged = { descriptor: handle.fd, sizeBytes: bytes.length, etag };
      try {
        return await helper.compare(tagged);
      } finally {
        await handle.close();
      }
    };
    const job = firstJob(await write("zstd"), "zstd");
    const tag = (bytes: Buffer) => `"${hash(bytes).digest("hex")}"`;
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);
    const results = Promise.all([
      compare(large, tag(large)).finally(note("large")),
      compare(large, inParts),
      compare(large, tag(small)),
      compare(small, tag(small)).finally(note("small")),
      compare(small, '"something else"'),
    ]);
    helper.begin(job);
    expect(await results).toEqual([true, true, false, true, null]);
    expect(order).toEqual(["small", "large"]);
    expect(readJob(job)).toMatchObject({ sound: true });
    await helper.stop();
  });

  it("stops comparing, says what reading failed with, and answers nothing once it has ended", async () => {
    const helper = new PassHelper(program, { zstd: await zstdDecoder() });
    const file = path.join(folder, "sparse");
    await fs.promises.writeFile(file, "");
    await fs.promises.truncate(file, 1e12);
    const handle = await fs.promises.open(file);
    const tagged = { descriptor: handle.fd, sizeBytes: 1e12, etag: `"${"0".repeat(32)}"` };
    const controller = new AbortController();
    const stopped = helper.compare(tagged, controller.signal);
    controller.abort(new Error("enough"));
    await expect(stopped).rejects.toThrow("enough");
    const folderHandle = await fs.promises.open(folder);
    await expect(helper.compare({ ...tagged, descriptor: folderHandle.fd })).rejects.toThrow("EISDIR");
    const ended = helper.compare(tagged);
    await helper.stop();
    expect([await ended, await helper.compare(tagged)]).toEqual(["ended", "ended"]);
    await Promise.all([handle.close(), folderHandle.close()]);
  });

  it("that fails leaves its chunks to their readers", async () => {
    const failing = path.join(folder, "failing.mjs");
    fs.writeFileSync(
      failing,
      `import { parentPort } from "node:worker_threads";
       parentPort.on("message", ({ job }) => { Atomics.store(job.state, 0, 1); throw new Error("out of order"); });`,
    );
    const helper = new PassHelper(pathToFileURL(failing), { zstd: await zstdDecoder() });
    const file = await write("zstd");
    const [job, next] = [firstJob(file, "zstd"), firstJob(file, "zstd")];
    helper.begin(job);
    await until(() => job.state[0] !== 0);
    await helper.settle(job);
    expect(isDone(job)).toBe(false);
    helper.begin(next);
    await helper.settle(next);
    expect(next.state[0]).toBe(0);
  });

  it("changes nothing of what a pass finds", async () => {
    const thread = (await passHelper(program))!;
    const codecs = await recordingCodecs();
    for (const compression of ["", "lz4", "zstd"] as const) {
      const files = [memorySource(await write(compression))];
      const rules = await makeRules(files, codecs);
      expect((await comparePasses(files, rules, { codecs, thread })).differences).toEqual([]);
    }
  });
});

it("there is no thread where its program is not", async () => {
  expect(await passHelper(pathToFileURL(path.join(folder, "missing.mjs")))).toBeNull();
});
