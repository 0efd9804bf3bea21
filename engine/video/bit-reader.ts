/** Reads a header bit by bit, the highest bit of each byte first. Beyond the end it reads zeros, which `isOver` says. */
export class BitReader {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** Whether more was read than there is. */
  get isOver(): boolean {
    return this.at > this.bytes.length * 8;
  }

  bit(): number {
    const byte = this.bytes[this.at >> 3] ?? 0;
    const value = (byte >> (7 - (this.at & 7))) & 1;
    this.at += 1;
    return value;
  }

  flag(): boolean {
    return this.bit() === 1;
  }

  /** An unsigned number of at most 32 bits. */
  bits(count: number): number {
    let value = 0;
    for (let n = 0; n < count; n++) value = value * 2 + this.bit();
    return value;
  }

  skip(count: number): void {
    this.at += count;
  }

  /** An Exp-Golomb number, as H.264 and H.265 write them; at most 32 bits. */
  unsigned(): number {
    let zeros = 0;
    while (zeros < 32 && !this.isOver && this.bit() === 0) zeros += 1;
    return 2 ** zeros - 1 + this.bits(zeros);
  }

  /** Skips a signed Exp-Golomb number, and returns it. */
  signed(): number {
    const value = this.unsigned();
    return value % 2 === 1 ? (value + 1) / 2 : -value / 2;
  }
}
