import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Decompress } from "@/engine/formats/codecs/codecs";
import { loadLz4 } from "@/engine/formats/codecs/lz4";
import { lz4Wasm } from "@/engine/formats/codecs/lz4-wasm";
import { decodeLz4Frame } from "@/engine/testing/lz4-reader";
import { compressLz4 } from "@/engine/testing/lz4-writer";

let decode: Decompress;
beforeAll(async () => {
  decode = await loadLz4();
});

/** Numbers in [0, 1) from a seed, the same on every machine. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Bytes in which runs, short repeats, long repeats and noise follow each other. */
function makeBytes(size: number, random: () => number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size;) {
    const length = Math.min(size - at, 1 + Math.floor(random() * 400));
    const kind = random();
    if (kind < 0.3) bytes.fill(Math.floor(random() * 256), at, at + length);
    else if (kind < 0.7 && at > 0) {
      const distance = 1 + Math.floor(random() * Math.min(at, random() < 0.5 ? 20 : 60_000));
      for (let i = 0; i < length; i++) bytes[at + i] = bytes[at + i - distance] ?? 0;
    } else for (let i = 0; i < length; i++) bytes[at + i] = Math.floor(random() * 256);
    at += length;
  }
  return bytes;
}

describe("the lz4 decoder", () => {
  it.each([0, 1, 15, 16, 17, 31, 100, 4_096, 70_000, 300_000])("returns the %i bytes that were compressed", (size) => {
    const bytes = makeBytes(size, seeded(size + 1));
    for (const stored of [false, true]) {
      const unpacked = decode(compressLz4(bytes, { stored }), size);
      expect(unpacked.length).toBe(size);
      expect(Buffer.compare(unpacked, bytes)).toBe(0);
    }
  });

  it("returns frames of several blocks", () => {
    const bytes = makeBytes(9_000_000, seeded(9));
    expect(Buffer.compare(decode(compressLz4(bytes, { stored: true }), bytes.length), bytes)).toBe(0);
  });

  it("returns at most the size that is asked for", () => {
    const bytes = makeBytes(10_000, seeded(7));
    for (const size of [0, 1, 5_000, 9_999]) {
      const unpacked = decode(compressLz4(bytes, { stored: true }), size);
      expect(Buffer.compare(unpacked, bytes.subarray(0, size))).toBe(0);
    }
  });

  it("returns of 4,000 damaged and truncated frames what a second implementation returns", () => {
    const random = seeded(14);
    const frames = [40, 700, 9_000].map((size) => compressLz4(makeBytes(size, random)));
    let partial = 0;
    for (let round = 0; round < 4_000; round++) {
      const frame = Buffer.from(frames[round % frames.length] ?? []);
      for (let edits = Math.floor(random() * 4); edits > 0; edits--)
        frame[Math.floor(random() * frame.length)] = Math.floor(random() * 256);
      const cut = random() < 0.3 ? frame.subarray(0, Math.floor(random() * frame.length)) : frame;
      const size = random() < 0.2 ? Math.floor(random() * 9_000) : 9_000;
      const wanted = decodeLz4Frame(cut, size).data;
      const found = decode(cut, size);
      expect(found.length, `round ${round}`).toBe(wanted.length);
      expect(Buffer.compare(found, wanted), `round ${round}`).toBe(0);
      partial += Number(wanted.length > 0 && wanted.length < size);
    }
    expect(partial).toBeGreaterThan(500);
  });
});

describe("the committed module", () => {
  const bytes = fs.readFileSync(path.join(import.meta.dirname, "lz4.wasm"));

  it("is the same as file and as text", () => {
    expect(lz4Wasm).toBe(bytes.toString("base64"));
  });

  /** Other versions may make other bytes of the same source. */
  const version = spawnSync("clang", ["--version"], { encoding: "utf8" }).stdout ?? "";
  it.skipIf(!version.includes("clang version 14."))("is what clang 14 compiles from its source", () => {
    const script = path.join(import.meta.dirname, "../../../scripts/compile-wasm.mjs");
    const { status, stderr } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
    expect(status, stderr).toBe(0);
  });
});
