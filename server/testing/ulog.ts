/** Builds a ULog file message by message, as PX4's logger writes it. */
export class UlogBuilder {
  private readonly parts: Buffer[] = [];

  /** `startedAt`: microseconds since the vehicle was started. */
  constructor(startedAt: bigint) {
    const head = Buffer.alloc(16);
    head.write("ULog\u0001\u0012\u0035\u0001", 0, "latin1");
    head.writeBigUInt64LE(startedAt, 8);
    this.parts.push(head);
  }

  get size(): number {
    return this.parts.reduce((sum, part) => sum + part.length, 0);
  }

  /** A message of any type. */
  add(type: string, ...body: (Buffer | string | number)[]): this {
    const bytes = Buffer.concat(
      body.map((part) => (typeof part === "number" ? Buffer.of(part) : Buffer.from(part as string, "latin1"))),
    );
    const head = Buffer.alloc(3);
    head.writeUInt16LE(bytes.length);
    head.write(type, 2, "latin1");
    this.parts.push(head, bytes);
    return this;
  }

  format(text: string): this {
    return this.add("F", text);
  }

  subscribe(id: number, name: string, instance = 0): this {
    return this.add("A", instance, uint16(id), name);
  }

  data(id: number, ...fields: Buffer[]): this {
    return this.add("D", uint16(id), ...fields);
  }

  /** A message `I`, `M` or `P`; its key has its type before it: `int32_t NAME`. */
  entry(type: "I" | "P", key: string, value: Buffer | string): this {
    return this.add(type, key.length, key, value);
  }

  raw(bytes: Buffer): this {
    this.parts.push(bytes);
    return this;
  }

  build(): Buffer {
    return Buffer.concat(this.parts);
  }
}

const number = (bytes: number, write: (buffer: Buffer) => void): Buffer => {
  const buffer = Buffer.alloc(bytes);
  write(buffer);
  return buffer;
};
export const uint16 = (value: number): Buffer => number(2, (buffer) => buffer.writeUInt16LE(value));
export const int32 = (value: number): Buffer => number(4, (buffer) => buffer.writeInt32LE(value));
export const uint64 = (value: bigint): Buffer => number(8, (buffer) => buffer.writeBigUInt64LE(value));
export const float = (...values: number[]): Buffer =>
  Buffer.concat(values.map((value) => number(4, (buffer) => buffer.writeFloatLE(value))));
export const double = (value: number): Buffer => number(8, (buffer) => buffer.writeDoubleLE(value));
