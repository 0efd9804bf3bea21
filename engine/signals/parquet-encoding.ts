import type { ByteWriter } from "@/engine/signals/byte-writer";

/** Numbers of Parquet's encodings. */
export const encodings = { plain: 0, rle: 3, delta: 5, dictionary: 8, byteStreamSplit: 9 } as const;

/** `[from, to)` of numbers of `width` bits each, lowest bit first, in groups of eight. */
function packBits(out: ByteWriter, values: ArrayLike<number>, from: number, to: number, width: number): void {
  const count = Math.ceil((to - from) / 8) * width;
  let at = out.room(count);
  const { bytes } = out;
  const end = at + count;
  let held = 0;
  let bits = 0;
  for (let i = from; i < to; i++) {
    held |= values[i]! << bits;
    for (bits += width; bits >= 8; bits -= 8) {
      bytes[at++] = held;
      held >>>= 8;
    }
  }
  if (bits > 0) bytes[at++] = held;
  bytes.fill(0, at, end);
}

/**
 * Numbers of at most 20 bits in Parquet's mixture of runs and packed bits, without its length: one run where they are
 * equal, else packed bits.
 */
export function encodeLevels(
  out: ByteWriter,
  values: ArrayLike<number>,
  from: number,
  to: number,
  width: number,
): void {
  let same = true;
  for (let i = from + 1; same && i < to; i++) same = values[i] === values[from];
  if (same && to > from) {
    encodeRun(out, values[from]!, to - from, width);
    return;
  }
  out.varint(Math.ceil((to - from) / 8) * 2 + 1);
  packBits(out, values, from, to, width);
}

/** One number of at most 20 bits, `count` times. */
export function encodeRun(out: ByteWriter, value: number, count: number, width: number): void {
  out.varint(count * 2);
  for (let bits = 0; bits < width; bits += 8) out.byte((value >>> bits) & 255);
}

/** Booleans as bits. */
export function encodeBits(out: ByteWriter, values: ArrayLike<number>): void {
  packBits(out, values, 0, values.length, 1);
}

/** The first bytes of all values, then the second ones, and so on: those of neighbours resemble each other. */
export function splitBytes(out: ByteWriter, values: Float64Array | Float32Array): void {
  const count = values.length;
  const width = values.BYTES_PER_ELEMENT / 4;
  const words = new Uint32Array(values.buffer, values.byteOffset, count * width);
  const start = out.room(values.byteLength);
  for (let half = 0; half < width; half++) splitPlanes(words, half, width, out, start + 4 * half * count);
}

/** Every `width`th word from `first` on into four planes: four at a time, as a matrix of bytes that is transposed. */
function splitPlanes(words: Uint32Array, first: number, width: number, out: ByteWriter, start: number): void {
  const { bytes, view } = out;
  const count = words.length / width;
  const [second, third, fourth] = [start + count, start + 2 * count, start + 3 * count];
  const whole = count - (count % 4);
  let at = first;
  let i = 0;
  for (; i < whole; i += 4, at += 4 * width) {
    const [a, b] = [words[at]!, words[at + width]!];
    const [c, d] = [words[at + 2 * width]!, words[at + 3 * width]!];
    const evenLow = (a & 0x00ff_00ff) | ((b & 0x00ff_00ff) << 8);
    const evenHigh = (c & 0x00ff_00ff) | ((d & 0x00ff_00ff) << 8);
    const oddLow = ((a >>> 8) & 0x00ff_00ff) | (b & 0xff00_ff00);
    const oddHigh = ((c >>> 8) & 0x00ff_00ff) | (d & 0xff00_ff00);
    view.setUint32(start + i, (evenLow & 0xffff) | (evenHigh << 16), true);
    view.setUint32(second + i, (oddLow & 0xffff) | (oddHigh << 16), true);
    view.setUint32(third + i, (evenLow >>> 16) | (evenHigh & 0xffff_0000), true);
    view.setUint32(fourth + i, (oddLow >>> 16) | (oddHigh & 0xffff_0000), true);
  }
  for (; i < count; i++, at += width) {
    const word = words[at]!;
    bytes[start + i] = word;
    bytes[second + i] = word >>> 8;
    bytes[third + i] = word >>> 16;
    bytes[fourth + i] = word >>> 24;
  }
}

const blockSize = 128;
const miniSize = 32;
const exact = Number.MAX_SAFE_INTEGER;

/**
 * Integers as packed differences (DELTA_BINARY_PACKED); false, and nothing is written, where two neighbours are too far
 * apart for exact arithmetic, or for a column of 32 bits.
 */
export function encodeDeltas(out: ByteWriter, values: BigInt64Array | Int32Array): boolean {
  const deltas = values instanceof Int32Array ? shortDeltas(values) : longDeltas(values);
  if (deltas === null) return false;
  const before = out.length;
  out.varint(blockSize);
  out.byte(blockSize / miniSize);
  out.varint(values.length);
  out.zigzag(values[0] ?? 0);
  const limit = values instanceof Int32Array ? 0xffff_ffff : exact;
  for (let from = 0; from < deltas.length; from += blockSize) {
    if (encodeBlock(out, deltas, from, Math.min(deltas.length, from + blockSize), limit)) continue;
    out.length = before;
    return false;
  }
  return true;
}

function shortDeltas(values: Int32Array): Float64Array | null {
  const deltas = new Float64Array(Math.max(0, values.length - 1));
  for (let i = 0; i < deltas.length; i++) {
    const delta = values[i + 1]! - values[i]!;
    if (delta !== (delta | 0)) return null;
    deltas[i] = delta;
  }
  return deltas;
}

/** By halves, because arithmetic with BigInt is many times slower. */
function longDeltas(values: BigInt64Array): Float64Array | null {
  const low = new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
  const high = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
  const deltas = new Float64Array(Math.max(0, values.length - 1));
  for (let i = 0; i < deltas.length; i++) {
    const j = 2 * i;
    const delta = (high[j + 3]! - high[j + 1]!) * 0x1_0000_0000 + (low[j + 2]! - low[j]!);
    if (delta > exact / 2 || delta < -exact / 2) return null;
    deltas[i] = delta;
  }
  return deltas;
}

function encodeBlock(out: ByteWriter, deltas: Float64Array, from: number, to: number, limit: number): boolean {
  let least = deltas[from]!;
  let most = least;
  for (let i = from + 1; i < to; i++) {
    const delta = deltas[i]!;
    if (delta < least) least = delta;
    if (delta > most) most = delta;
  }
  if (most - least > limit) return false;
  out.zigzag(least);
  const widths = out.room(blockSize / miniSize);
  out.bytes.fill(0, widths, out.length);
  if (most === least) return true;
  for (let mini = 0; mini < blockSize / miniSize; mini++) {
    const start = from + mini * miniSize;
    let largest = 0;
    for (let i = start; i < Math.min(to, start + miniSize); i++) largest = Math.max(largest, deltas[i]! - least);
    if (largest === 0) continue;
    // log2 rounds up just below large powers of two: a width that is one too wide is still right.
    const width = Math.floor(Math.log2(largest)) + 1;
    out.bytes[widths + mini] = width;
    packWide(out, deltas, start, to, least, width);
  }
  return true;
}

/** A miniblock of 32 differences, the missing ones zero: by 16 bits, as they may have more than bitwise operators take. */
function packWide(out: ByteWriter, deltas: Float64Array, from: number, to: number, least: number, width: number): void {
  const start = out.room((miniSize / 8) * width);
  const { bytes } = out;
  let at = start;
  let held = 0;
  let bits = 0;
  for (let i = from; i < Math.min(to, from + miniSize); i++) {
    const delta = deltas[i]! - least;
    const high = width > 32 ? Math.floor(delta / 0x1_0000_0000) : 0;
    const low = delta - high * 0x1_0000_0000;
    for (let done = 0; done < width; done += 16) {
      held |= (((done < 32 ? low : high) >>> (done & 16)) & 0xffff) << bits;
      for (bits += Math.min(16, width - done); bits >= 8; bits -= 8) {
        bytes[at++] = held;
        held >>>= 8;
      }
    }
  }
  if (bits > 0) bytes[at++] = held;
  bytes.fill(0, at, out.length);
}
