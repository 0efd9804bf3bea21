/** Sets of bits, the highest of each first. */
class BitWriter {
  readonly bytes: number[] = [];
  private filled = 0;

  write(value: number, bits: number): void {
    for (let bit = bits - 1; bit >= 0; bit -= 1) {
      if (this.filled % 8 === 0) this.bytes.push(0);
      const at = this.bytes.length - 1;
      const set = Math.floor(value / 2 ** bit) % 2;
      this.bytes[at] = (this.bytes[at] ?? 0) | (set << (7 - (this.filled % 8)));
      this.filled += 1;
    }
  }
}

/** Bits of the lengths of runs; two bits say which. */
const lengthBits = [3, 4, 8, 16] as const;
const longest = 2 ** 16;
const channels = 4;

/**
 * Runs of a picture row by row, the first outside the mask, as the brush of Label Studio has them: bytes that hold the
 * number of values, their bits, those of lengths, and runs of one value for each channel of each pixel. See
 * `rle-pack` of @thi.ng.
 */
export function encodeBrush(runs: readonly number[]): number[] {
  const out = new BitWriter();
  out.write(runs.reduce((sum, run) => sum + run, 0) * channels, 32);
  out.write(8 - 1, 5);
  for (const bits of lengthBits) out.write(bits - 1, 4);
  for (const [at, run] of runs.entries()) {
    for (let left = run * channels; left > 0; left -= longest) {
      const length = Math.min(left, longest);
      const size = lengthBits.findIndex((bits) => length <= 2 ** bits);
      out.write(1, 1);
      out.write(size, 2);
      out.write(length - 1, lengthBits[size] ?? 16);
      out.write(at % 2 === 1 ? 255 : 0, 8);
    }
  }
  return out.bytes;
}

/** Reads sets of bits; null when there are no more. */
class BitReader {
  private at = 0;

  constructor(private readonly bytes: readonly number[]) {}

  read(bits: number): number | null {
    let value = 0;
    for (let left = bits; left > 0;) {
      const byte = this.bytes[this.at >> 3];
      if (byte === undefined) return null;
      const offset = this.at & 7;
      const taken = Math.min(left, 8 - offset);
      value = value * 2 ** taken + ((byte >> (8 - offset - taken)) & (2 ** taken - 1));
      this.at += taken;
      left -= taken;
    }
    return value;
  }
}

/** Runs that are added one after another, of pixels in the mask or outside. */
class RunWriter {
  readonly runs: number[] = [0];

  add(isInside: boolean, length: number): void {
    if (length === 0) return;
    const isSame = this.runs.length % 2 === (isInside ? 0 : 1);
    if (isSame) this.runs[this.runs.length - 1] = (this.runs.at(-1) ?? 0) + length;
    else this.runs.push(length);
  }
}

/** What bytes of the brush say: runs row by row, the first outside; null for bytes that are not of so many pixels. */
export function decodeBrush(bytes: readonly number[], pixels: number): number[] | null {
  const bits = new BitReader(bytes);
  const count = bits.read(32);
  const wordBits = (bits.read(5) ?? 0) + 1;
  const sizes = lengthBits.map(() => (bits.read(4) ?? 0) + 1);
  if (count !== pixels * channels) return null;
  const out = new RunWriter();
  // The fourth channel says how opaque a pixel is.
  const isInside = (value: number): boolean => value >= 2 ** (wordBits - 1);
  for (let at = 0; at < count;) {
    const isRun = bits.read(1) === 1;
    const length = (bits.read(sizes[bits.read(2) ?? 0] ?? 0) ?? -1) + 1;
    if (length === 0 || at + length > count) return null;
    if (isRun) {
      const value = bits.read(wordBits);
      if (value === null) return null;
      out.add(isInside(value), Math.floor((at + length) / channels) - Math.floor(at / channels));
      at += length;
      continue;
    }
    for (const end = at + length; at < end; at += 1) {
      const value = bits.read(wordBits);
      if (value === null) return null;
      if (at % channels === channels - 1) out.add(isInside(value), 1);
    }
  }
  return out.runs;
}
