import type { Decompressed } from "@/engine/formats/codecs/compression";

const MAGIC = 0x184d2204;

/**
 * Decodes one LZ4 frame block by block into at most `size` bytes, returning what was decoded before the first fault: a
 * second implementation that the compiled one is compared with.
 */
export function decodeLz4Frame(source: Uint8Array, size: number): Decompressed {
  const target = new Uint8Array(size);
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  const broken = (length: number): Decompressed => ({ data: target.subarray(0, length), complete: false });
  if (source.length < 7 || view.getUint32(0, true) !== MAGIC) return broken(0);
  const flags = source[4] ?? 0;
  let at = 7 + (flags & 8 ? 8 : 0) + (flags & 1 ? 4 : 0);
  const blockChecksum = (flags & 16) !== 0;
  let filled = 0;
  while (at + 4 <= source.length) {
    const header = view.getUint32(at, true);
    at += 4;
    if (header === 0) return { data: target.subarray(0, filled), complete: true };
    const length = header & 0x7fffffff;
    const end = Math.min(at + length, source.length);
    if (header >>> 31) {
      const part = source.subarray(at, Math.min(end, at + size - filled));
      target.set(part, filled);
      filled += part.length;
      if (part.length < length) return broken(filled);
    } else {
      const block = decodeBlock(source, at, end, target, filled);
      filled = block.filled;
      if (!block.complete || end - at < length) return broken(filled);
    }
    at += length + (blockChecksum ? 4 : 0);
  }
  return broken(filled);
}

function decodeBlock(
  source: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  from: number,
): { filled: number; complete: boolean } {
  let at = start;
  let filled = from;
  const readLength = (nibble: number): number => {
    if (nibble !== 15) return nibble;
    let total = 15;
    for (;;) {
      const byte = at < end ? (source[at] ?? 0) : 0;
      at += 1;
      total += byte;
      if (byte !== 255) return total;
    }
  };
  while (at < end) {
    const token = source[at++] ?? 0;
    const literals = readLength(token >> 4);
    if (at + literals > end || filled + literals > target.length) return { filled, complete: false };
    target.set(source.subarray(at, at + literals), filled);
    at += literals;
    filled += literals;
    if (at >= end) return { filled, complete: at === end };
    const distance = (source[at] ?? 0) | ((source[at + 1] ?? 0) << 8);
    at += 2;
    const length = readLength(token & 15) + 4;
    let copy = filled - distance;
    const stop = filled + length;
    if (at > end || distance === 0 || copy < 0 || stop > target.length) return { filled, complete: false };
    while (filled < stop) target[filled++] = target[copy++] ?? 0;
  }
  return { filled, complete: true };
}
