import { compareBytes, reverseEach, utf8Text, toDataView } from "@/engine/bytes";
import { readCdrVersion } from "@/engine/decode/cdr-version";
import type { UnpackMessage } from "@/engine/formats/packed-message";
import { RecordingError } from "@/engine/formats/recording-error";

/** A time or duration with the names that its schema language gives to the parts: `nsec` in ROS 1, `nanosec` in ROS 2. */
export type TimeValue = { sec: number; nsec: number } | { sec: number; nanosec: number };

/** Caches the last string read at one place, so that a repeated one is not decoded again. */
export interface TextMemo {
  bytes: Uint8Array;
  text: string;
}

/** Limit of array elements of zero bytes in one message, beyond its length. */
const FREE_ELEMENTS = 65_536;
/** Longer texts are decoded faster than compared with the last one. */
const MAX_MEMO_BYTES = 256;

/**
 * Reads the values of one message one after another, never beyond its last byte: a length that the rest of the message
 * cannot hold is refused before anything is allocated for it. The compiled decoders call these methods by name.
 */
export abstract class PayloadCursor {
  protected view: DataView = new DataView(new ArrayBuffer(0));
  protected bytes: Uint8Array = new Uint8Array(0);
  protected offset = 0;
  protected little = true;
  private elements = 0;
  /** The message at hand is XCDR2 of appendable types: objects follow their length in bytes. */
  delimited = false;

  /** Bytes of the message, the header of its encoding included. */
  get byteLength(): number {
    return this.bytes.length;
  }

  /** Starts on a message; throws a RecordingError when it cannot be one. */
  reset(data: Uint8Array): void {
    this.bytes = data;
    this.view = toDataView(data);
    this.offset = 0;
    this.elements = data.byteLength + FREE_ELEMENTS;
  }

  /** Moves to the next multiple of a value's size, where the encoding requires it. */
  abstract align(size: number): void;
  abstract string(): string;
  abstract skipString(): void;

  bool(): boolean {
    return this.view.getUint8(this.offset++) !== 0;
  }
  int8(): number {
    return this.view.getInt8(this.offset++);
  }
  uint8(): number {
    return this.view.getUint8(this.offset++);
  }
  int16(): number {
    this.align(2);
    this.offset += 2;
    return this.view.getInt16(this.offset - 2, this.little);
  }
  uint16(): number {
    this.align(2);
    this.offset += 2;
    return this.view.getUint16(this.offset - 2, this.little);
  }
  int32(): number {
    this.align(4);
    this.offset += 4;
    return this.view.getInt32(this.offset - 4, this.little);
  }
  uint32(): number {
    this.align(4);
    this.offset += 4;
    return this.view.getUint32(this.offset - 4, this.little);
  }
  int64(): bigint {
    this.align(8);
    this.offset += 8;
    return this.view.getBigInt64(this.offset - 8, this.little);
  }
  uint64(): bigint {
    this.align(8);
    this.offset += 8;
    return this.view.getBigUint64(this.offset - 8, this.little);
  }
  float32(): number {
    this.align(4);
    this.offset += 4;
    return this.view.getFloat32(this.offset - 4, this.little);
  }
  float64(): number {
    this.align(8);
    this.offset += 8;
    return this.view.getFloat64(this.offset - 8, this.little);
  }

  /** 64-bit integers as the nearest double. */
  int64Number(): number {
    this.align(8);
    this.offset += 8;
    const high = this.view.getInt32(this.offset - (this.little ? 4 : 8), this.little);
    return high * 0x1_0000_0000 + this.view.getUint32(this.offset - (this.little ? 8 : 4), this.little);
  }
  uint64Number(): number {
    this.align(8);
    this.offset += 8;
    const high = this.view.getUint32(this.offset - (this.little ? 4 : 8), this.little);
    return high * 0x1_0000_0000 + this.view.getUint32(this.offset - (this.little ? 8 : 4), this.little);
  }

  abstract time(): TimeValue;
  /** The parts of a time into two neighbouring slots. */
  abstract timeParts(values: Float64Array, slot: number): void;
  duration(): TimeValue {
    return this.time();
  }
  durationParts(values: Float64Array, slot: number): void {
    this.timeParts(values, slot);
  }

  /** The length of an array whose elements take at least `bytes` each. */
  count(bytes: number): number {
    const count = this.uint32();
    this.claim(count, bytes);
    return count;
  }

  /** Refuses `count` elements that the rest of the message cannot hold. */
  claim(count: number, bytes: number): void {
    if (count * bytes > this.bytes.length - this.offset) {
      throw new RecordingError("A message declares an array longer than itself.");
    }
    if (bytes > 0) return;
    this.elements -= count;
    if (this.elements < 0) throw new RecordingError("A message declares an array longer than itself.");
  }

  skip(count: number, bytes: number): void {
    if (count === 0) return;
    this.align(bytes);
    this.offset += count * bytes;
    if (this.offset > this.bytes.length) throw new RecordingError("A message is shorter than its schema says.");
  }

  /** Reads the length that precedes a delimited object or list; returns where it ends. */
  enter(): number {
    const length = this.uint32();
    if (length > this.bytes.length - this.offset)
      throw new RecordingError("A message declares an object longer than itself.");
    return this.offset + length;
  }

  /** Ends a delimited object; what a writer with a newer type appended to it is skipped. */
  leave(end: number): void {
    if (this.offset > end) throw new RecordingError("A message does not match its schema.");
    this.offset = end;
  }

  /** A string that is often the same as the last one read with this memo. */
  text(memo: TextMemo): string {
    const from = this.offset;
    this.skipString();
    const { bytes, offset } = this;
    const { length } = memo.bytes;
    if (length === offset - from && compareBytes(memo.bytes, bytes, 0, length, from, offset) === 0) return memo.text;
    this.offset = from;
    memo.text = this.string();
    // Copied, because the message's bytes are released with their chunk.
    memo.bytes = new Uint8Array(offset - from > MAX_MEMO_BYTES ? [] : bytes.subarray(from, offset));
    return memo.text;
  }

  /** The bytes of `count` elements of `size`, aligned for a typed array and in the machine's byte order. */
  private takeBytes(count: number, size: number): { buffer: ArrayBufferLike; offset: number } {
    if (count > 0) this.align(size);
    this.claim(count, size);
    const from = this.offset;
    this.offset += count * size;
    const { buffer, byteOffset } = this.bytes;
    if (this.little && (byteOffset + from) % size === 0) return { buffer, offset: byteOffset + from };
    const copy = new Uint8Array(this.bytes.subarray(from, this.offset));
    if (!this.little && size > 1) reverseEach(copy, size);
    return { buffer: copy.buffer, offset: 0 };
  }

  private list<T>(count: number, bytes: number, read: () => T): T[] {
    this.claim(count, bytes);
    const list: T[] = [];
    for (let i = 0; i < count; i++) list.push(read());
    return list;
  }

  bools(count: number): boolean[] {
    return this.list(count, 1, () => this.bool());
  }
  int8s(count: number): Int8Array {
    const { buffer, offset } = this.takeBytes(count, 1);
    return new Int8Array(buffer, offset, count);
  }
  uint8s(count: number): Uint8Array {
    const { buffer, offset } = this.takeBytes(count, 1);
    return new Uint8Array(buffer, offset, count);
  }
  int16s(count: number): Int16Array {
    const { buffer, offset } = this.takeBytes(count, 2);
    return new Int16Array(buffer, offset, count);
  }
  uint16s(count: number): Uint16Array {
    const { buffer, offset } = this.takeBytes(count, 2);
    return new Uint16Array(buffer, offset, count);
  }
  int32s(count: number): Int32Array {
    const { buffer, offset } = this.takeBytes(count, 4);
    return new Int32Array(buffer, offset, count);
  }
  uint32s(count: number): Uint32Array {
    const { buffer, offset } = this.takeBytes(count, 4);
    return new Uint32Array(buffer, offset, count);
  }
  int64s(count: number): BigInt64Array {
    const { buffer, offset } = this.takeBytes(count, 8);
    return new BigInt64Array(buffer, offset, count);
  }
  uint64s(count: number): BigUint64Array {
    const { buffer, offset } = this.takeBytes(count, 8);
    return new BigUint64Array(buffer, offset, count);
  }
  float32s(count: number): Float32Array {
    const { buffer, offset } = this.takeBytes(count, 4);
    return new Float32Array(buffer, offset, count);
  }
  float64s(count: number): Float64Array {
    const { buffer, offset } = this.takeBytes(count, 8);
    return new Float64Array(buffer, offset, count);
  }
  strings(count: number): string[] {
    return this.list(count, 4, () => this.string());
  }
  times(count: number): TimeValue[] {
    return this.list(count, 8, () => this.time());
  }
  durations(count: number): TimeValue[] {
    return this.list(count, 8, () => this.duration());
  }

  protected readText(length: number, from: number): string {
    if (from + length > this.bytes.length) throw new RecordingError("A message declares a string longer than itself.");
    return utf8Text(this.bytes, from, from + length);
  }
}

/** ROS 1: little-endian, nothing aligned. */
export class Ros1Cursor extends PayloadCursor {
  override align(): void {}

  override string(): string {
    const length = this.uint32();
    const text = this.readText(length, this.offset);
    this.offset += length;
    return text;
  }

  override skipString(): void {
    this.skip(this.uint32(), 1);
  }

  override time(): TimeValue {
    return { sec: this.uint32(), nsec: this.uint32() };
  }

  override duration(): TimeValue {
    return { sec: this.int32(), nsec: this.int32() };
  }

  override timeParts(values: Float64Array, slot: number): void {
    values[slot] = this.uint32();
    values[slot + 1] = this.uint32();
  }

  override durationParts(values: Float64Array, slot: number): void {
    values[slot] = this.int32();
    values[slot + 1] = this.int32();
  }
}

/** CDR as DDS writes it: a header of four bytes with the byte order, then values aligned relative to its end. */
export class CdrCursor extends PayloadCursor {
  /** Eight-byte values are aligned to four bytes in the second version. */
  private widest = 8;
  /** Whether messages of mutable types are taken too. */
  protected readonly mutable: boolean = false;

  constructor(private readonly unpack?: UnpackMessage) {
    super();
  }

  override reset(payload: Uint8Array): void {
    const data = this.unpack?.(payload) ?? payload;
    super.reset(data);
    if (data.byteLength < 4) throw new RecordingError("A message is shorter than the header of its encoding.");
    const version = readCdrVersion(this.view.getUint8(1), this.mutable);
    this.little = (this.view.getUint8(1) & 1) === 1;
    this.widest = version === "first" ? 8 : 4;
    this.delimited = version === "delimited";
    this.offset = 4;
  }

  override align(size: number): void {
    const step = size > this.widest ? this.widest : size;
    // The header has four bytes, so that alignment to four is the same from the message's start.
    const past = (this.offset - 4) & (step - 1);
    if (past > 0) this.offset += step - past;
  }

  override string(): string {
    const length = this.uint32();
    const text = length <= 1 ? "" : this.readText(length - 1, this.offset);
    this.offset += length;
    return text;
  }

  override skipString(): void {
    this.skip(this.uint32(), 1);
  }

  override time(): TimeValue {
    const end = this.delimited ? this.enter() : 0;
    const value = { sec: this.int32(), nanosec: this.uint32() };
    if (this.delimited) this.leave(end);
    return value;
  }

  override timeParts(values: Float64Array, slot: number): void {
    const end = this.delimited ? this.enter() : 0;
    values[slot] = this.int32();
    values[slot + 1] = this.uint32();
    if (this.delimited) this.leave(end);
  }
}
