import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { equalBytes } from "@/engine/bytes";
import { CompressedDamage } from "@/server/platform/files/compressed-damage";
import { decompressZstd } from "@/server/platform/files/zstd-stream";

/** The compressions of whole files that are read. */
export type FileCompression = "gzip" | "zstd";

const gzipMagic = Uint8Array.of(0x1f, 0x8b, 0x08);
const zstdMagic = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd);
/**
 * The magic of a zstd frame without data, which parallel compressors begin with, but for the low bits of the first
 * byte.
 */
const skippedMagic = Uint8Array.of(0x50, 0x2a, 0x4d, 0x18);

/** How a file that begins with these bytes is compressed; null when it is not. */
export function detectCompression(start: Uint8Array): FileCompression | null {
  if (equalBytes(start.subarray(0, 3), gzipMagic)) return "gzip";
  const first = Uint8Array.from(start.subarray(0, 4));
  if (equalBytes(first, zstdMagic)) return "zstd";
  if (first.length > 0) first[0] = first[0]! & 0xf0;
  return equalBytes(first, skippedMagic) ? "zstd" : null;
}

/**
 * Decompresses a stream of any length piece by piece: all members of a gzip file, all frames of a zstd file. A piece is
 * good until the next one is requested. Throws a CompressedDamage where the bytes are damaged, after all pieces before,
 * and a CompressedBeyond for what only other installations decompress.
 */
export const decompressStream = (
  compression: FileCompression,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> => (compression === "gzip" ? gunzip(source) : decompressZstd(source));

async function* gunzip(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const stream = createGunzip({ chunkSize: 32 * 1024 });
  // An error of the source destroys the stream with it, which whoever reads the stream gets.
  const fed = pipeline(source, stream).catch(() => {});
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (!isOfZlib(error)) throw error;
    for (let rest: unknown = stream.read(); rest instanceof Uint8Array; rest = stream.read()) yield rest;
    throw new CompressedDamage("The gzip stream is damaged or cut off.");
  } finally {
    stream.destroy();
    await fed;
  }
}

const isOfZlib = (error: unknown): boolean =>
  error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("Z_");
