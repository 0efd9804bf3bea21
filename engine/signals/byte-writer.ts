const half = 0x1_0000_0000;

/** Bytes that are written one after another into memory that grows, and is used again after `clear`. */
export class ByteWriter {
  private held = new Uint8Array(256);
  private heldView = new DataView(this.held.buffer);
  length = 0;

  /** What was written; valid until something else is. */
  get written(): Uint8Array {
    return this.held.subarray(0, this.length);
  }

  /** For bytes in any order within `room`. */
  get bytes(): Uint8Array {
    return this.held;
  }
  get view(): DataView {
    return this.heldView;
  }

  clear(): void {
    this.length = 0;
  }

  /** Makes room for bytes, and returns the place of the first; they have any values until they are set. */
  room(count: number): number {
    const at = this.length;
    this.length = at + count;
    if (this.length > this.held.length) {
      const grown = new Uint8Array(Math.max(this.held.length * 2, this.length));
      grown.set(this.held.subarray(0, at));
      this.held = grown;
      this.heldView = new DataView(grown.buffer);
    }
    return at;
  }

  byte(value: number): void {
    const at = this.room(1);
    this.held[at] = value;
  }

  append(bytes: Uint8Array): void {
    const at = this.room(bytes.length);
    this.held.set(bytes, at);
  }

  /** A whole number that is not negative, seven bits a byte. */
  varint(value: number | bigint): void {
    if (typeof value === "bigint") {
      let wide = value;
      for (; wide > 127n; wide >>= 7n) this.byte(Number(wide & 127n) | 128);
      this.byte(Number(wide));
      return;
    }
    let rest = value;
    for (; rest >= half; rest = Math.floor(rest / 128)) this.byte((rest % 128) | 128);
    for (; rest > 127; rest = Math.floor(rest / 128)) this.byte((rest & 127) | 128);
    this.byte(rest);
  }

  /** A whole number of 64 bits whose sign is in the lowest bit, as a `varint`. */
  zigzag(value: number | bigint): void {
    if (typeof value === "number" && value < 2 ** 52 && value >= -(2 ** 52)) {
      this.varint(value < 0 ? -2 * value - 1 : 2 * value);
      return;
    }
    const wide = BigInt(value);
    this.varint((wide << 1n) ^ (wide >> 63n));
  }
}
