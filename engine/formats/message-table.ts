import { compareBytes } from "@/engine/bytes";
import type { Channel, RawMessage } from "@/engine/formats/recording";

/** Words of 32 bits per row; the times come first so that both are aligned for the 64-bit view. */
const WORDS = 8;
export const rowBytes = WORDS * Uint32Array.BYTES_PER_ELEMENT;
const TIME_LOW = 0;
const TIME_HIGH = 1;
const PUBLISHED_LOW = 2;
const PUBLISHED_HIGH = 3;
const SLOT = 4;
const SEQUENCE = 5;
const OFFSET = 6;
const LENGTH = 7;

/** What a table needs of its file: the channel of each slot, and the rank of its topic among all topics. */
export interface SlotNames {
  readonly channels: readonly (Channel | undefined)[];
  readonly ranks: readonly number[];
}

/**
 * The messages of one chunk as rows of numbers over its bytes: 32 bytes per message and no object, so that a chunk of a
 * million tiny messages costs little. Rows become RawMessages only when they leave the reader.
 */
export class MessageTable {
  count = 0;
  private rows: Uint32Array;
  private times: BigInt64Array;

  /** `room`: the rows to begin with, or memory for all of them. */
  constructor(
    readonly file: SlotNames,
    public data: Uint8Array,
    room: number | SharedArrayBuffer,
  ) {
    this.rows = typeof room === "number" ? new Uint32Array(Math.max(16, room) * WORDS) : new Uint32Array(room);
    this.times = new BigInt64Array(this.rows.buffer);
  }

  /** Empties the table for the messages of other bytes of the same file. */
  reset(data: Uint8Array): void {
    this.data = data;
    this.count = 0;
  }

  add(
    slot: number,
    timeHigh: number,
    timeLow: number,
    publishedHigh: number,
    publishedLow: number,
    sequence: number,
    offset: number,
    length: number,
  ): void {
    const at = this.count * WORDS;
    if (at === this.rows.length) this.grow(this.count * 2);
    const rows = this.rows;
    rows[at + TIME_LOW] = timeLow;
    rows[at + TIME_HIGH] = timeHigh;
    rows[at + PUBLISHED_LOW] = publishedLow;
    rows[at + PUBLISHED_HIGH] = publishedHigh;
    rows[at + SLOT] = slot;
    rows[at + SEQUENCE] = sequence;
    rows[at + OFFSET] = offset;
    rows[at + LENGTH] = length;
    this.count += 1;
  }

  private grow(rows: number): void {
    const larger = new Uint32Array(rows * WORDS);
    larger.set(this.rows.subarray(0, this.count * WORDS));
    this.rows = larger;
    this.times = new BigInt64Array(larger.buffer);
  }

  /** Nanoseconds since the epoch. */
  time(row: number): bigint {
    return this.times[row * (WORDS / 2)] ?? 0n;
  }

  /** Nanoseconds from a point in time given in two halves, exact where that is less than 104 days away. */
  timeFrom(row: number, high: number, low: number): number {
    const at = row * WORDS;
    return (this.rows[at + TIME_HIGH]! - high) * 0x1_0000_0000 + (this.rows[at + TIME_LOW]! - low);
  }

  sequence(row: number): number {
    return this.rows[row * WORDS + SEQUENCE] ?? 0;
  }

  /** Where a row's payload begins in `data`. */
  offset(row: number): number {
    return this.rows[row * WORDS + OFFSET] ?? 0;
  }

  slot(row: number): number {
    return this.rows[row * WORDS + SLOT] ?? 0;
  }

  /** Payload bytes of a row. */
  length(row: number): number {
    return this.rows[row * WORDS + LENGTH] ?? 0;
  }

  /** Log times by channel, in the order of the rows. */
  timesBySlot(): Map<number, BigInt64Array> {
    const counts = new Map<number, number>();
    for (let row = 0; row < this.count; row++) counts.set(this.slot(row), (counts.get(this.slot(row)) ?? 0) + 1);
    const lists = new Map<number, BigInt64Array>();
    for (const [slot, count] of counts) lists.set(slot, new BigInt64Array(count));
    const filled = new Map<number, number>();
    for (let row = 0; row < this.count; row++) {
      const slot = this.slot(row);
      const at = filled.get(slot) ?? 0;
      lists.get(slot)![at] = this.time(row);
      filled.set(slot, at + 1);
    }
    return lists;
  }

  message(row: number): RawMessage | null {
    const rows = this.rows;
    const at = row * WORDS;
    const channel = this.file.channels[rows[at + SLOT] ?? 0];
    if (channel === undefined) return null;
    const offset = rows[at + OFFSET] ?? 0;
    return {
      channel,
      logTime: this.times[row * (WORDS / 2)] ?? 0n,
      publishTime: this.times[row * (WORDS / 2) + 1] ?? 0n,
      sequence: rows[at + SEQUENCE] ?? 0,
      data: new Uint8Array(this.data.buffer, this.data.byteOffset + offset, rows[at + LENGTH] ?? 0),
    };
  }

  /** Sorts the rows into reading order; a chunk written in order, the usual case, is only checked. */
  sort(): void {
    let sorted = true;
    for (let row = 1; row < this.count && sorted; row++) sorted = compareRows(this, row - 1, this, row) <= 0;
    if (sorted) return;
    const order = new Uint32Array(this.count);
    for (let row = 0; row < this.count; row++) order[row] = row;
    order.sort((a, b) => compareRows(this, a, this, b));
    this.pick(order, 0, this.count);
  }

  /**
   * A copy of rows [from, to) with only their own payloads, so that the chunk's other bytes can be released. Equal
   * neighbours share one payload.
   */
  compact(from: number, to: number): MessageTable {
    let bytes = 0;
    for (let row = from; row < to; row++) bytes += this.samePayload(row, from) ? 0 : this.length(row);
    const copy = new MessageTable(this.file, new Uint8Array(bytes), to - from);
    copy.rows.set(this.rows.subarray(from * WORDS, to * WORDS));
    copy.count = to - from;
    let end = 0;
    for (let row = from; row < to; row++) {
      const at = (row - from) * WORDS + OFFSET;
      if (this.samePayload(row, from)) {
        copy.rows[at] = copy.rows[at - WORDS] ?? 0;
        continue;
      }
      const offset = this.rows[row * WORDS + OFFSET] ?? 0;
      copy.data.set(this.data.subarray(offset, offset + this.length(row)), end);
      copy.rows[at] = end;
      end += this.length(row);
    }
    return copy;
  }

  private samePayload(row: number, from: number): boolean {
    return row > from && comparePayloads(this, row - 1, this, row) === 0;
  }

  private pick(order: Uint32Array, from: number, to: number): void {
    const rows = new Uint32Array((to - from) * WORDS);
    for (let row = from; row < to; row++) {
      const source = (order[row] ?? 0) * WORDS;
      rows.set(this.rows.subarray(source, source + WORDS), (row - from) * WORDS);
    }
    this.rows = rows;
    this.times = new BigInt64Array(rows.buffer);
    this.count = to - from;
  }

  /** Order by log time alone against a point in time given in two halves. */
  compareTime(row: number, high: number, low: number): number {
    const at = row * WORDS;
    return (this.rows[at + TIME_HIGH] ?? 0) - high || (this.rows[at + TIME_LOW] ?? 0) - low;
  }

  /** The log time of a row as its two halves, for `compareTime`. */
  timeHalves(row: number): { high: number; low: number } {
    const at = row * WORDS;
    return { high: this.rows[at + TIME_HIGH] ?? 0, low: this.rows[at + TIME_LOW] ?? 0 };
  }

  /** One word of a row; only for `compareRows`. */
  static compare(a: MessageTable, rowA: number, b: MessageTable, rowB: number): number {
    const x = a.rows;
    const y = b.rows;
    const i = rowA * WORDS;
    const j = rowB * WORDS;
    const byTime = x[i + TIME_HIGH]! - y[j + TIME_HIGH]! || x[i + TIME_LOW]! - y[j + TIME_LOW]!;
    if (byTime !== 0) return byTime;
    const p = a.file.ranks[x[i + SLOT]!] ?? 0;
    const q = b.file.ranks[y[j + SLOT]!] ?? 0;
    return (
      p - q ||
      x[i + SEQUENCE]! - y[j + SEQUENCE]! ||
      comparePayloads(a, rowA, b, rowB) ||
      (a.file.channels[x[i + SLOT]!]?.id ?? 0) - (b.file.channels[y[j + SLOT]!]?.id ?? 0) ||
      x[i + PUBLISHED_HIGH]! - y[j + PUBLISHED_HIGH]! ||
      x[i + PUBLISHED_LOW]! - y[j + PUBLISHED_LOW]!
    );
  }

  static comparePayloads(a: MessageTable, rowA: number, b: MessageTable, rowB: number): number {
    const i = a.rows[rowA * WORDS + OFFSET] ?? 0;
    const j = b.rows[rowB * WORDS + OFFSET] ?? 0;
    return compareBytes(a.data, b.data, i, i + a.length(rowA), j, j + b.length(rowB));
  }
}

/**
 * The reading order: log time, topic, sequence, payload bytes. Two messages equal in all four differ at most in channel
 * and publish time, which break the tie, so that the order never depends on where a message was stored.
 */
export const compareRows = MessageTable.compare;
const comparePayloads = MessageTable.comparePayloads;
