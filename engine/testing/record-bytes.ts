/** Appends little-endian values; the writers of test recordings are built on it. */
export class RecordBytes {
  private parts: Buffer[] = [];

  u8(value: number): this {
    return this.raw(Buffer.from([value]));
  }

  u16(value: number): this {
    const bytes = Buffer.alloc(2);
    bytes.writeUInt16LE(value);
    return this.raw(bytes);
  }

  u32(value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return this.raw(bytes);
  }

  u64(value: bigint | number): this {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)));
    return this.raw(bytes);
  }

  text(value: string): this {
    const bytes = Buffer.from(value, "utf8");
    return this.u32(bytes.length).raw(bytes);
  }

  raw(bytes: Uint8Array): this {
    this.parts.push(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes));
    return this;
  }

  done(): Buffer {
    return Buffer.concat(this.parts);
  }
}
