import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import wasm from "@foxglove/wasm-zstd";
import { beforeAll, describe, expect, test } from "vitest";
import { decompressStream, detectCompression } from "@/server/platform/files/decompression";
import { zstdDecoder } from "@/server/platform/files/recording-codecs";
import { frameByFrame } from "@/server/platform/files/zstd-stream";

/** Text that compresses about as recordings do. */
const text = Buffer.from(Array.from({ length: 120_000 }, (_, at) => `${at * at} `).join(""));
beforeAll(() => wasm.isLoaded);

const zstd = (bytes: Uint8Array): Buffer => Buffer.from(wasm.compress(bytes));
const skippable = (length: number): Buffer => {
  const head = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]);
  head.writeUInt32LE(length, 4);
  return Buffer.concat([head, randomBytes(length)]);
};
/** A frame of stored blocks that does not declare its size. */
function unsized(...blocks: Buffer[]): Buffer {
  const parts = blocks.map((block, at) => {
    const head = Buffer.alloc(3);
    head.writeUIntLE((block.length << 3) | (at === blocks.length - 1 ? 1 : 0), 0, 3);
    return Buffer.concat([head, block]);
  });
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58]), ...parts]);
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

type Decoder = (source: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array>;
/** What comes out, and the name of the error that ends it. */
async function read(decoder: Decoder, bytes: Buffer, pieceBytes = 10_000) {
  const parts: Buffer[] = [];
  try {
    for await (const part of decoder(inPieces(bytes, pieceBytes))) parts.push(Buffer.from(part));
    return { bytes: Buffer.concat(parts), error: null };
  } catch (error) {
    return { bytes: Buffer.concat(parts), error: error instanceof Error ? error.name : "" };
  }
}
/** Whether exactly these bytes came out, and nothing was wrong. */
const isExactly = (result: Awaited<ReturnType<typeof read>>, bytes: Buffer) =>
  result.error === null && result.bytes.equals(bytes);

const fastest: Decoder = (source) => decompressStream("zstd", source);

describe.each<[string, Decoder]>([
  ["the decoder of this machine", fastest],
  ["a decoder that takes no streams", (source) => frameByFrame(source)],
])("zstd by %s", (_, decoder) => {
  test("is decompressed in pieces of any size, all frames one after the other", async () => {
    const [first, rest] = [text.subarray(0, 300_000), text.subarray(300_000)];
    const frames = Buffer.concat([zstd(first), skippable(70_000), zstd(rest), skippable(0)]);
    for (const pieceBytes of [1, 7_777, frames.length]) {
      const bytes = pieceBytes === 1 ? zstd(first) : frames;
      expect(isExactly(await read(decoder, bytes, pieceBytes), pieceBytes === 1 ? first : text)).toBe(true);
    }
    const blocks = unsized(text.subarray(0, 131_072), text.subarray(131_072, 131_073), text.subarray(131_073, 200_000));
    expect(isExactly(await read(decoder, blocks), text.subarray(0, 200_000))).toBe(true);
    expect(isExactly(await read(decoder, unsized(text.subarray(0, 131_072))), text.subarray(0, 131_072))).toBe(true);
    expect(isExactly(await read(decoder, zstd(Buffer.alloc(0))), Buffer.alloc(0))).toBe(true);
  });

  test("is decompressed up to where it is damaged or cut off", async () => {
    const first = zstd(text);
    for (const rest of [first.subarray(0, 3), first.subarray(0, 30), Buffer.alloc(200, 0xff), Buffer.of(0)]) {
      const result = await read(decoder, Buffer.concat([first, rest]));
      expect([result.error, result.bytes.equals(text)]).toEqual(["CompressedDamage", true]);
    }
    for (let at = 6; at < 600; at += 13) {
      const damaged = Buffer.from(first).fill(0xff, at, at + 40);
      const { error } = await read(decoder, damaged);
      expect([null, "CompressedDamage", "CompressedBeyond"]).toContain(error);
    }
  });
});

test("zstd loses no block before a damaged one where the decoder takes streams", async () => {
  if ((await zstdDecoder()) !== "zstd-napi") return;
  const blocks = Array.from({ length: 9 }, () => randomBytes(50_000));
  const bytes = unsized(...blocks);
  // The head of the sixth block: of a kind that does not exist.
  bytes[6 + 5 * 50_003] = 0xff;
  const result = await read(fastest, bytes);
  expect([result.error, result.bytes.equals(Buffer.concat(blocks.slice(0, 5)))]).toEqual(["CompressedDamage", true]);
});

test("zstd in frames that are too large for a decoder without streams is refused before memory is used", async () => {
  const bytes = unsized(...Array.from({ length: 20 }, () => randomBytes(100_000)));
  const result = await read((source) => frameByFrame(source, 1_000_000), bytes);
  expect(result).toEqual({ bytes: Buffer.alloc(0), error: "CompressedBeyond" });
});

describe("gzip", () => {
  const gunzip: Decoder = (source) => decompressStream("gzip", source);

  test("is decompressed in pieces of any size, all members one after the other", async () => {
    const members = Buffer.concat([gzipSync(text.subarray(0, 300_000)), gzipSync(text.subarray(300_000))]);
    for (const pieceBytes of [777, members.length])
      expect(isExactly(await read(gunzip, members, pieceBytes), text)).toBe(true);
    expect(isExactly(await read(gunzip, gzipSync("x"), 1), Buffer.from("x"))).toBe(true);
  });

  test("is decompressed up to where it is cut off", async () => {
    const bytes = gzipSync(text);
    const { bytes: some, error } = await read(gunzip, bytes.subarray(0, Math.floor(bytes.length / 2)));
    expect(error).toBe("CompressedDamage");
    expect(some.length).toBeGreaterThan(text.length / 4);
    expect(some.equals(text.subarray(0, some.length))).toBe(true);
  });
});

test.each(["gzip", "zstd"] as const)("an error of the source is no damage of %s", async (compression) => {
  const bytes = compression === "gzip" ? gzipSync(text) : zstd(text);
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield bytes.subarray(0, 1_000);
    throw new RangeError("the store is away");
  }
  expect((await read(() => decompressStream(compression, failing()), bytes)).error).toBe("RangeError");
});

test("the first bytes say how a file is compressed", () => {
  expect(detectCompression(gzipSync("x"))).toBe("gzip");
  expect(detectCompression(zstd(text))).toBe("zstd");
  expect(detectCompression(skippable(8))).toBe("zstd");
  for (const bytes of [Buffer.alloc(0), Buffer.of(0x1f), Buffer.of(0x1f, 0x8b), text])
    expect(detectCompression(bytes)).toBeNull();
});
