import { toDataView } from "@/engine/bytes";

/** Reads a variable-length integer at `at`; leaves the byte after it in `next`. */
class Varints {
  constructor(
    readonly bytes: Uint8Array,
    public next: number,
  ) {}

  read(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.bytes[this.next++];
      if (byte === undefined) throw new RangeError("a number ends after its page");
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }

  /** A signed one of up to 64 bits. */
  readSigned(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.bytes[this.next++];
      if (byte === undefined) throw new RangeError("a number ends after its page");
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) break;
    }
    return (value >> 1n) ^ -(value & 1n);
  }
}

/** Widths up to which a number lies within four bytes, wherever it begins. */
const maxShort = 25;

/** The number of `width` bits that begins `bit` bits after `at`. */
function unpack(view: DataView, at: number, bit: number, width: number): number {
  if (width <= maxShort && at + (bit >>> 3) + 4 <= view.byteLength)
    return (view.getUint32(at + (bit >>> 3), true) >>> (bit & 7)) & ((1 << width) - 1);
  let value = 0;
  let scale = 1;
  for (let rest = width, from = bit; rest > 0;) {
    const shift = from & 7;
    const taken = Math.min(8 - shift, rest);
    value += ((view.getUint8(at + (from >>> 3)) >>> shift) & ((1 << taken) - 1)) * scale;
    scale *= 1 << taken;
    rest -= taken;
    from += taken;
  }
  return value;
}

/**
 * Integers stored as packed differences (DELTA_BINARY_PACKED), less `origin`, which must be exact as doubles. Throws a
 * RangeError for bytes that end early.
 */
export function decodeDeltas(bytes: Uint8Array, count: number, origin: bigint, into: Float64Array | Int32Array): void {
  const view = toDataView(bytes);
  const input = new Varints(bytes, 0);
  const blockSize = input.read();
  const minis = input.read();
  if (input.read() !== count) throw new RangeError("a page has another number of rows");
  let value = Number(input.readSigned() - origin);
  if (count > 0) into[0] = value;
  const miniSize = blockSize / minis;
  for (let row = 1; row < count;) {
    const least = Number(input.readSigned());
    const widths = bytes.subarray(input.next, input.next + minis);
    let at = input.next + minis;
    for (let mini = 0; mini < minis && row < count; mini++) {
      const width = widths[mini]!;
      const end = Math.min(count, row + miniSize);
      if (width === 0) for (; row < end; row++) into[row] = value += least;
      else for (let bit = 0; row < end; row++, bit += width) into[row] = value += least + unpack(view, at, bit, width);
      at += (miniSize / 8) * width;
    }
    input.next = at;
  }
}

/** Joins the bytes of floating point values that are stored by their places: all first bytes, all second ones, and so on. */
export function joinBytes(planes: Uint8Array, width: 4 | 8, into: Uint8Array): void {
  const count = into.length / width;
  if (planes.length < into.length) throw new RangeError("a page is too short");
  const words = new Int32Array(into.buffer, into.byteOffset, into.length / 4);
  const stride = width / 4;
  for (let word = 0; word < stride; word++) joinPlanes(planes, 4 * word * count, count, words, word, stride);
}

/** Four planes from `start` on into every `stride`th word: four words at a time, as a matrix of bytes that is transposed. */
function joinPlanes(
  planes: Uint8Array,
  start: number,
  count: number,
  words: Int32Array,
  first: number,
  stride: number,
): void {
  const view = toDataView(planes);
  const [second, third, fourth] = [start + count, start + 2 * count, start + 3 * count];
  const whole = count - (count % 4);
  let at = first;
  let i = 0;
  for (; i < whole; i += 4, at += 4 * stride) {
    const [a, b] = [view.getInt32(start + i, true), view.getInt32(second + i, true)];
    const [c, d] = [view.getInt32(third + i, true), view.getInt32(fourth + i, true)];
    const evenLow = (a & 0x00ff_00ff) | ((b & 0x00ff_00ff) << 8);
    const oddLow = ((a >>> 8) & 0x00ff_00ff) | (b & 0xff00_ff00);
    const evenHigh = (c & 0x00ff_00ff) | ((d & 0x00ff_00ff) << 8);
    const oddHigh = ((c >>> 8) & 0x00ff_00ff) | (d & 0xff00_ff00);
    words[at] = (evenLow & 0xffff) | (evenHigh << 16);
    words[at + stride] = (oddLow & 0xffff) | (oddHigh << 16);
    words[at + 2 * stride] = (evenLow >>> 16) | (evenHigh & 0xffff_0000);
    words[at + 3 * stride] = (oddLow >>> 16) | (oddHigh & 0xffff_0000);
  }
  for (; i < count; i++, at += stride)
    words[at] =
      planes[start + i]! | (planes[second + i]! << 8) | (planes[third + i]! << 16) | (planes[fourth + i]! << 24);
}

/** Booleans stored as bits. */
export function decodeBits(bytes: Uint8Array, into: Uint8Array): void {
  if (bytes.length * 8 < into.length) throw new RangeError("a page is too short");
  for (let i = 0; i < into.length; i++) into[i] = (bytes[i >>> 3]! >>> (i & 7)) & 1;
}
