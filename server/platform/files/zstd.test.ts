import zstd from "@foxglove/wasm-zstd";
import { beforeAll, describe, expect, test } from "vitest";
import type { Decompress } from "@/engine/formats/codecs/codecs";
import { recordingCodecs, zstdDecoder } from "@/server/platform/files/recording-codecs";
import { fastestZstd, openZstd, type ZstdDecoder } from "@/server/platform/files/zstd";

const names: ZstdDecoder[] = ["zstd-napi", "node:zlib", "wasm"];
const bytes = Buffer.from(Array.from({ length: 20_000 }, (_, i) => (i * i) % 251));
let packed: Buffer;
const decoders = new Map<ZstdDecoder, Decompress>();

beforeAll(async () => {
  await zstd.isLoaded;
  packed = zstd.compress(bytes);
  for (const name of names) {
    const decoder = await openZstd(name);
    if (decoder) decoders.set(name, decoder);
  }
});

test("a process takes the fastest decoder of its machine, and can name it", async () => {
  const { name, decompress } = await fastestZstd();
  expect(name).toBe(names.find((each) => decoders.has(each)));
  expect(decompress(packed, bytes.length)).toEqual(decoders.get(name)?.(packed, bytes.length));
  expect(await zstdDecoder()).toBe(name);
  expect(Buffer.from((await recordingCodecs()).zstd(packed, bytes.length)).equals(bytes)).toBe(true);
});

/** The length and whether the bytes are right, or "refused". */
function outcome(decompress: Decompress, source: Uint8Array, size: number): unknown {
  try {
    const unpacked = decompress(source, size);
    return [unpacked.length, Buffer.compare(unpacked, bytes.subarray(0, unpacked.length))];
  } catch {
    return "refused";
  }
}

describe("every decoder of this machine", () => {
  test("returns the bytes that were compressed", () => {
    for (const [name, decompress] of decoders)
      expect(outcome(decompress, packed, bytes.length), name).toEqual([20_000, 0]);
  });

  test("refuses more than the size that is asked for, truncated and damaged input", () => {
    const damaged = Buffer.from(packed).fill(0xff, 4, 40);
    for (const [name, decompress] of decoders) {
      expect(outcome(decompress, packed, bytes.length - 1), name).toBe("refused");
      expect(outcome(decompress, packed.subarray(0, packed.length >> 1), bytes.length), name).toBe("refused");
      expect(outcome(decompress, damaged, bytes.length), name).toBe("refused");
    }
  });
});
