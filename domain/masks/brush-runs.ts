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
