import { concatBytes } from "@/engine/bytes";

/** Numbers of Parquet's encodings. */
export const encodings = { plain: 0, rle: 3, delta: 5, dictionary: 8, byteStreamSplit: 9 } as const;

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest];
}

/** `[from, to)` of numbers of `width` bits each, lowest bit first, in groups of eight. */
function packBits(values: ArrayLike<number>, from: number, to: number, width: number): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((to - from) / 8) * width);
  let at = 0;
  let held = 0;
  let bits = 0;
  for (let i = from; i < to; i++) {
    held |= values[i]! << bits;
    for (bits += width; bits >= 8; bits -= 8) {
      bytes[at++] = held;
      held >>>= 8;
    }
  }
  if (bits > 0) bytes[at] = held;
  return bytes;
}

/**
 * Numbers of at most 20 bits in Parquet's mixture of runs and packed bits, without its length: one run where they are
 * equal, else packed bits.
 */
export function encodeLevels(values: ArrayLike<number>, from: number, to: number, width: number): Uint8Array {
  let same = true;
  for (let i = from + 1; same && i < to; i++) same = values[i] === values[from];
  if (same && to > from) return encodeRun(values[from]!, to - from, width);
  const groups = Math.ceil((to - from) / 8);
  return concatBytes([Uint8Array.from(varint(groups * 2 + 1)), packBits(values, from, to, width)]);
}

/** One number of at most 20 bits, `count` times. */
export const encodeRun = (value: number, count: number, width: number): Uint8Array =>
  Uint8Array.from([
    ...varint(count * 2),
    ...Array.from({ length: Math.ceil(width / 8) }, (_, i) => (value >>> (8 * i)) & 255),
  ]);

/** Booleans as bits. */
export const encodeBits = (values: ArrayLike<number>): Uint8Array =>
  packBits(values, 0, values.length, 1).subarray(0, Math.ceil(values.length / 8));

/** The first bytes of all values, then the second ones, and so on: those of neighbours resemble each other. */
export function splitBytes(values: Float64Array | Float32Array): Uint8Array {
  const count = values.length;
  const width = values.BYTES_PER_ELEMENT / 4;
  const words = new Uint32Array(values.buffer, values.byteOffset, count * width);
  const planes = new Uint8Array(values.byteLength);
  for (let half = 0; half < width; half++) {
    const own = planes.subarray(4 * half * count, 4 * (half + 1) * count);
    if (count % 4 === 0) splitFours(words, half, width, own);
    else splitSingle(words, half, width, own);
  }
  return planes;
}

/** Every `width`th word from `first` on into four planes. */
function splitSingle(words: Uint32Array, first: number, width: number, planes: Uint8Array): void {
  const count = planes.length / 4;
  for (let i = 0, at = first; i < count; i++, at += width) {
    const word = words[at]!;
    planes[i] = word;
    planes[count + i] = word >>> 8;
    planes[2 * count + i] = word >>> 16;
    planes[3 * count + i] = word >>> 24;
  }
}

/** The same for a multiple of four words: four at a time, as a matrix of bytes that is transposed by halves. */
function splitFours(words: Uint32Array, first: number, width: number, planes: Uint8Array): void {
  const count = planes.length / 16;
  const out = new Uint32Array(planes.buffer, planes.byteOffset, 4 * count);
  for (let i = 0, at = first; i < count; i++, at += 4 * width) {
    const [a, b] = [words[at]!, words[at + width]!];
    const [c, d] = [words[at + 2 * width]!, words[at + 3 * width]!];
    const evenLow = (a & 0x00ff_00ff) | ((b & 0x00ff_00ff) << 8);
    const evenHigh = (c & 0x00ff_00ff) | ((d & 0x00ff_00ff) << 8);
    const oddLow = ((a >>> 8) & 0x00ff_00ff) | (b & 0xff00_ff00);
    const oddHigh = ((c >>> 8) & 0x00ff_00ff) | (d & 0xff00_ff00);
    out[i] = (evenLow & 0xffff) | (evenHigh << 16);
    out[count + i] = (oddLow & 0xffff) | (oddHigh << 16);
    out[2 * count + i] = (evenLow >>> 16) | (evenHigh & 0xffff_0000);
    out[3 * count + i] = (oddLow >>> 16) | (oddHigh & 0xffff_0000);
  }
}

const blockSize = 128;
const miniSize = 32;
const exact = Number.MAX_SAFE_INTEGER;

/**
 * Integers as packed differences (DELTA_BINARY_PACKED); null where two neighbours are too far apart for exact
 * arithmetic, or for a column of 32 bits.
 */
export function encodeDeltas(values: BigInt64Array | Int32Array): Uint8Array | null {
  const deltas = values instanceof Int32Array ? shortDeltas(values) : longDeltas(values);
  if (deltas === null) return null;
  const first = BigInt(values[0] ?? 0);
  const head = [
    ...varint(blockSize),
    blockSize / miniSize,
    ...varint(values.length),
    ...bigVarint((first << 1n) ^ (first >> 63n)),
  ];
  const parts: Uint8Array[] = [Uint8Array.from(head)];
  const limit = values instanceof Int32Array ? 0xffff_ffff : exact;
  for (let from = 0; from < deltas.length; from += blockSize) {
    const part = encodeBlock(deltas, from, Math.min(deltas.length, from + blockSize), limit);
    if (part === null) return null;
    parts.push(part);
  }
  return concatBytes(parts);
}

function bigVarint(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
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

function encodeBlock(deltas: Float64Array, from: number, to: number, limit: number): Uint8Array | null {
  let least = deltas[from]!;
  let most = least;
  for (let i = from + 1; i < to; i++) {
    if (deltas[i]! < least) least = deltas[i]!;
    if (deltas[i]! > most) most = deltas[i]!;
  }
  if (most - least > limit) return null;
  const widths: number[] = [];
  for (let start = from; start < from + blockSize; start += miniSize) {
    let largest = 0;
    for (let i = start; i < Math.min(to, start + miniSize); i++) largest = Math.max(largest, deltas[i]! - least);
    widths.push(largest === 0 ? 0 : Math.floor(Math.log2(largest)) + 1);
  }
  // log2 rounds up just below large powers of two: a width that is one too wide is still right.
  const zigzag = least >= 0 ? BigInt(least) << 1n : (BigInt(-least) << 1n) - 1n;
  const parts: Uint8Array[] = [Uint8Array.from([...bigVarint(zigzag), ...widths])];
  for (const [mini, width] of widths.entries()) {
    if (width > 0) parts.push(packWide(deltas, from + mini * miniSize, to, least, width));
  }
  return concatBytes(parts);
}

/** A miniblock of 32 differences, the missing ones zero. */
function packWide(deltas: Float64Array, from: number, to: number, least: number, width: number): Uint8Array {
  const bytes = new Uint8Array((miniSize / 8) * width);
  for (let i = 0; i < miniSize && from + i < to; i++) {
    let rest = deltas[from + i]! - least;
    let bit = i * width;
    // By bytes: a difference may have more bits than bitwise operators take.
    while (rest > 0) {
      const shift = bit & 7;
      const taken = 8 - shift;
      const part = rest % (1 << taken);
      bytes[bit >>> 3] = bytes[bit >>> 3]! | (part << shift);
      rest = Math.floor(rest / (1 << taken));
      bit += taken;
    }
  }
  return bytes;
}
