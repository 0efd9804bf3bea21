import type { Decompress } from "@/engine/formats/codecs/codecs";

/**
 * bzip2 in plain JavaScript, for where the server's WebAssembly cannot run: its script makes functions from text, which
 * the policy of pages' threads forbids. Format: Julian Seward's bzip2 1.0, one stream.
 */

const blockMagic = 0x314159265359;
const endMagic = 0x177245385090;
const maxCodeBits = 20;
/** Symbols of one Huffman table after another. */
const groupSize = 50;

const crcTable = new Int32Array(256);
for (let byte = 0; byte < 256; byte++) {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  crcTable[byte] = crc;
}

function damaged(): never {
  throw new Error("The chunk is damaged.");
}

/** Bits of bytes, the highest first. */
class Bits {
  private at = 0;
  private held = 0;
  private count = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** The next bits as a number, at most 24. */
  read(count: number): number {
    while (this.count < count) {
      if (this.at >= this.bytes.length) damaged();
      this.held = (this.held << 8) | this.bytes[this.at++]!;
      this.count += 8;
    }
    this.count -= count;
    return (this.held >>> this.count) & ((1 << count) - 1);
  }

  /** 32 bits as a signed number. */
  readInt(): number {
    return (this.read(16) << 16) | this.read(16);
  }
}

/** A Huffman table: by length, the highest code and where its symbols lie among all, ordered by code. */
interface Codes {
  limits: Int32Array;
  bases: Int32Array;
  symbols: Uint16Array;
}

function makeCodes(lengths: Uint8Array): Codes {
  const limits = new Int32Array(maxCodeBits + 2).fill(-1);
  const bases = new Int32Array(maxCodeBits + 2);
  const symbols = new Uint16Array(lengths.length);
  let [code, placed] = [0, 0];
  for (let length = 1; length <= maxCodeBits; length++) {
    const first = code;
    bases[length] = placed - first;
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== length) continue;
      symbols[placed++] = symbol;
      code += 1;
    }
    limits[length] = code - 1;
    code <<= 1;
  }
  return { limits, bases, symbols };
}

function readSymbol(bits: Bits, { limits, bases, symbols }: Codes): number {
  let code = 0;
  for (let length = 1; length <= maxCodeBits; length++) {
    code = (code << 1) | bits.read(1);
    if (code <= limits[length]!) return symbols[code + bases[length]!] ?? damaged();
  }
  return damaged();
}

/** The bytes that occur in a block, ascending. */
function readUsed(bits: Bits): Uint8Array {
  const used: number[] = [];
  const ranges = bits.read(16);
  for (let range = 0; range < 16; range++) {
    if ((ranges & (0x8000 >> range)) === 0) continue;
    const inRange = bits.read(16);
    for (let byte = 0; byte < 16; byte++) if ((inRange & (0x8000 >> byte)) !== 0) used.push(range * 16 + byte);
  }
  return used.length === 0 ? damaged() : Uint8Array.from(used);
}

/** Which table each group of symbols uses. */
function readSelectors(bits: Bits, tables: number): Uint8Array {
  const selectors = new Uint8Array(bits.read(15));
  const order = Array.from({ length: tables }, (_, table) => table);
  for (let group = 0; group < selectors.length; group++) {
    let at = 0;
    while (bits.read(1) === 1) if (++at >= tables) damaged();
    const [table = 0] = order.splice(at, 1);
    order.unshift(table);
    selectors[group] = table;
  }
  return selectors;
}

function readCodes(bits: Bits, symbols: number): Codes {
  const lengths = new Uint8Array(symbols);
  let length = bits.read(5);
  for (let symbol = 0; symbol < symbols; symbol++) {
    for (;;) {
      if (length < 1 || length > maxCodeBits) damaged();
      if (bits.read(1) === 0) break;
      length += bits.read(1) === 0 ? 1 : -1;
    }
    lengths[symbol] = length;
  }
  return makeCodes(lengths);
}

/** The bytes of a block as they were sorted, into the low bytes of `sorted`; returns how many. */
function readSorted(bits: Bits, sorted: Uint32Array): number {
  const recent = readUsed(bits);
  const tables = bits.read(3);
  if (tables < 2 || tables > 6) damaged();
  const selectors = readSelectors(bits, tables);
  const endOfBlock = recent.length + 1;
  const codes = Array.from({ length: tables }, () => readCodes(bits, endOfBlock + 1));
  let [count, run, weight] = [0, 0, 1];
  for (let read = 0; ; read++) {
    const symbol = readSymbol(bits, codes[selectors[Math.floor(read / groupSize)] ?? damaged()]!);
    if (symbol <= 1) {
      // The length of a run of the byte seen last, in digits of base two that are 1 or 2.
      run += weight << symbol;
      weight *= 2;
      if (run > sorted.length) damaged();
      continue;
    }
    if (count + run > sorted.length) damaged();
    sorted.fill(recent[0]!, count, count + run);
    count += run;
    [run, weight] = [0, 1];
    if (symbol === endOfBlock) return count;
    if (count === sorted.length) damaged();
    const at = symbol - 1;
    const byte = recent[at]!;
    recent.copyWithin(1, 0, at);
    recent[0] = byte;
    sorted[count++] = byte;
  }
}

/** Puts above each byte of a sorted block where the byte after it lies. */
function link(sorted: Uint32Array, count: number): void {
  const starts = new Uint32Array(256);
  for (let at = 0; at < count; at++) starts[sorted[at]! & 255]!++;
  let sum = 0;
  for (let byte = 0; byte < 256; byte++) {
    const occurs = starts[byte]!;
    starts[byte] = sum;
    sum += occurs;
  }
  for (let at = 0; at < count; at++) {
    const place = starts[sorted[at]! & 255]!++;
    sorted[place] = (sorted[place]! | (at << 8)) >>> 0;
  }
}

/** Decompresses one stream into at most `size` bytes; throws for damaged input. */
export const decodeBzip2: Decompress = (source, size) => {
  const bits = new Bits(source);
  if (bits.read(24) !== 0x425a68) damaged();
  const level = bits.read(8) - 0x30;
  if (level < 1 || level > 9) damaged();
  const sorted = new Uint32Array(level * 100_000);
  const target = new Uint8Array(size);
  let written = 0;
  for (;;) {
    const magic = bits.read(24) * 0x1000000 + bits.read(24);
    const expected = bits.readInt();
    if (magic === endMagic) return target.subarray(0, written);
    // Blocks whose bytes were mixed at random have not been written since 1997.
    if (magic !== blockMagic || bits.read(1) !== 0) damaged();
    const origin = bits.read(24);
    const count = readSorted(bits, sorted);
    if (origin >= count) damaged();
    link(sorted, count);
    let entry = sorted[sorted[origin]! >>> 8]!;
    let [crc, last, equal] = [-1, -1, 0];
    for (let left = count; left > 0; left--) {
      const byte = entry & 255;
      entry = sorted[entry >>> 8]!;
      // After four equal bytes follows how many more there are.
      const repeats = equal === 4 ? byte : 1;
      const value = equal === 4 ? last : byte;
      equal = equal === 4 ? 0 : byte === last ? equal + 1 : 1;
      if (written + repeats > size) damaged();
      for (let n = 0; n < repeats; n++) {
        target[written++] = value;
        crc = (crc << 8) ^ crcTable[(crc >>> 24) ^ value]!;
      }
      last = equal === 0 ? -1 : value;
    }
    if (~crc !== expected) damaged();
  }
};
