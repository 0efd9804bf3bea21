import type { SignalField, SignalType } from "@/engine/signals/signal-types";

/** The values of one field for a batch of messages, in the order of its times. */
export interface ColumnBatch {
  /**
   * From `first` on as many as the batch has rows: doubles, 64-bit integers (unsigned ones as two's complement), 0 and 1
   * for booleans, positions in `texts` for enums.
   */
  values: Float64Array | BigInt64Array;
  first: number;
  /** 1 where the message lacks the field; null where all have it. */
  missing: Uint8Array | null;
  /** The names of an enum's values. */
  texts?: readonly string[];
  /** Whether all values are one number, where that is known. */
  same?: boolean;
}

type Values = Float64Array | Float32Array | Int32Array | BigInt64Array | Uint8Array;

function makeValues(type: SignalType, capacity: number): Values {
  switch (type) {
    case "float64":
      return new Float64Array(capacity);
    case "float32":
      return new Float32Array(capacity);
    case "int64":
    case "uint64":
      return new BigInt64Array(capacity);
    case "bool":
      return new Uint8Array(capacity);
    case "int8":
    case "uint8":
    case "int16":
    case "uint16":
    case "int32":
    case "uint32":
    case "enum":
      return new Int32Array(capacity);
  }
}

/** Bytes that a row takes in memory while its row group is open. */
export const rowBytes = (type: SignalType): number => makeValues(type, 1).byteLength;

/** The rows of one field that are not written yet. */
export class SignalColumn {
  private kept: Values;
  /** The number that every row so far has; no values are kept while there is one. */
  constant: number | null = null;
  /** 1 for a row without a value; null while all have one. */
  missing: Uint8Array | null = null;
  /** Positions of an enum's names in the dictionary of this row group. */
  readonly texts = new Map<string, number>();

  constructor(
    readonly field: SignalField,
    /** Rows that came before the field first appeared. */
    before: number,
    private capacity: number,
  ) {
    this.kept = makeValues(field.type, 0);
    if (before > 0) this.missing = new Uint8Array(capacity).fill(1, 0, before);
  }

  reserve(capacity: number): void {
    if (capacity <= this.capacity) return;
    this.capacity = capacity;
    if (this.missing) {
      const missing = new Uint8Array(capacity);
      missing.set(this.missing);
      this.missing = missing;
    }
  }

  /** The values of rows [from, to). */
  values(from: number, to: number): Values {
    const { constant } = this;
    if (constant === null) return this.room(to).subarray(from, to);
    const values = makeValues(this.field.type, to - from);
    fill(values, 0, to - from, constant);
    return values;
  }

  /** Puts times at row `at`. */
  putTimes(at: number, rows: number, times: BigInt64Array): void {
    (this.room(at) as BigInt64Array).set(times.subarray(0, rows), at);
  }

  /** Puts a batch at row `at`; all of it is missing when there is none. */
  put(at: number, rows: number, batch: ColumnBatch | undefined): void {
    if (this.isConstant(at, rows, batch)) return;
    this.settle(at);
    const missing = batch ? batch.missing : null;
    if (!batch || missing) {
      this.missing ??= new Uint8Array(this.capacity);
      if (!batch || !missing) {
        this.missing.fill(1, at, at + rows);
        return;
      }
      this.missing.set(missing.subarray(0, rows), at);
    } else this.missing?.fill(0, at, at + rows);
    const values = this.room(at);
    const { values: source, first, texts } = batch;
    if (texts) {
      for (let i = 0; i < rows; i++) {
        if (missing?.[i] !== 1) values[at + i] = this.position(texts[Number(source[first + i])] ?? "");
      }
    } else if (values instanceof BigInt64Array) {
      if (source instanceof BigInt64Array) values.set(source.subarray(first, first + rows), at);
      else putIntegers(values, at, rows, source, first);
    } else if (source instanceof BigInt64Array) {
      const unsigned = this.field.type.startsWith("u");
      for (let i = 0; i < rows; i++) {
        const value = source[first + i]!;
        values[at + i] = Number(unsigned ? BigInt.asUintN(64, value) : value);
      }
    } else values.set(source.subarray(first, first + rows), at);
  }

  /** Begins the next row group with room for `capacity` rows. */
  clear(capacity: number): void {
    if (this.kept.length > capacity) this.kept = makeValues(this.field.type, 0);
    this.capacity = capacity;
    this.constant = null;
    this.missing = null;
    this.texts.clear();
  }

  /** Whether the batch has the number that all rows before it have. */
  private isConstant(at: number, rows: number, batch: ColumnBatch | undefined): boolean {
    if (!batch || batch.missing || batch.texts || batch.same === false) return false;
    if (at > 0 && this.constant === null) return false;
    const { values, first } = batch;
    if (values instanceof BigInt64Array) return false;
    const value = values[first]!;
    if (value !== value || (at > 0 && !Object.is(value, this.constant))) return false;
    // Zero has two signs.
    if (batch.same !== true || value === 0) {
      for (let i = first + 1; i < first + rows; i++) if (!Object.is(values[i], value)) return false;
    }
    this.constant = value;
    return true;
  }

  /** Keeps the values of the rows before `at`, which were one number. */
  private settle(at: number): void {
    const { constant } = this;
    if (constant === null) return;
    this.constant = null;
    fill(this.room(0), 0, at, constant);
  }

  /** Room for all rows; the values of those before `at` are kept. */
  private room(at: number): Values {
    if (this.kept.length < this.capacity) {
      const grown = makeValues(this.field.type, this.capacity);
      // Both were made for one type.
      (grown as Float64Array).set(this.kept.subarray(0, at) as Float64Array);
      this.kept = grown;
    }
    return this.kept;
  }

  private position(text: string): number {
    let position = this.texts.get(text);
    if (position === undefined) this.texts.set(text, (position = this.texts.size));
    return position;
  }
}

function fill(values: Values, from: number, to: number, value: number): void {
  if (values instanceof BigInt64Array) values.fill(toInteger(value), from, to);
  else values.fill(value, from, to);
}

/** By halves of 32 bits: making a BigInt for each row would take longer than all else. */
function putIntegers(values: BigInt64Array, at: number, rows: number, source: Float64Array, first: number): void {
  const halves = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
  for (let i = 0; i < rows; i++) {
    const value = source[first + i]!;
    if (value < exact && value > -exact && Math.trunc(value) === value) {
      const high = Math.floor(value / 0x1_0000_0000);
      halves[2 * (at + i)] = value - high * 0x1_0000_0000;
      halves[2 * (at + i) + 1] = high;
    } else values[at + i] = toInteger(value);
  }
}

/** Integers below it are exact as doubles. */
const exact = 2 ** 53;

const toInteger = (value: number): bigint => (Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0n);
