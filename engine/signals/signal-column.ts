import type { SignalField, SignalType } from "@/engine/signals/signal-types";

/** The values of one field for a batch of messages, in the order of its times. */
export interface ColumnBatch {
  /**
   * As many as the batch has rows: doubles, 64-bit integers (unsigned ones as two's complement), 0 and 1 for booleans,
   * positions in `texts` for enums.
   */
  values: Float64Array | BigInt64Array;
  /** 1 where the message lacks the field; null where all have it. */
  missing: Uint8Array | null;
  /** The names of an enum's values. */
  texts?: readonly string[];
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
  values: Values;
  /** 1 for a row without a value; null while all have one. */
  missing: Uint8Array | null = null;
  /** Positions of an enum's names in the dictionary of this row group. */
  readonly texts = new Map<string, number>();

  constructor(
    readonly field: SignalField,
    /** Rows that came before the field first appeared. */
    before: number,
    capacity: number,
  ) {
    this.values = makeValues(field.type, capacity);
    if (before > 0) this.missing = new Uint8Array(capacity).fill(1, 0, before);
  }

  reserve(capacity: number): void {
    if (capacity <= this.values.length) return;
    const grown = makeValues(this.field.type, capacity);
    // Both were made for one type.
    (grown as Float64Array).set(this.values as Float64Array);
    this.values = grown;
    if (this.missing) {
      const missing = new Uint8Array(capacity);
      missing.set(this.missing);
      this.missing = missing;
    }
  }

  /** Puts a batch at row `at`; all of it is missing when there is none. */
  put(at: number, rows: number, batch: ColumnBatch | undefined): void {
    const missing = batch ? batch.missing : null;
    if (!batch || missing) {
      this.missing ??= new Uint8Array(this.values.length);
      if (!batch || !missing) {
        this.missing.fill(1, at, at + rows);
        return;
      }
      this.missing.set(missing.subarray(0, rows), at);
    } else this.missing?.fill(0, at, at + rows);
    const { values } = this;
    const source = batch.values;
    if (batch.texts) {
      for (let i = 0; i < rows; i++) {
        if (missing?.[i] !== 1) values[at + i] = this.position(batch.texts[Number(source[i])] ?? "");
      }
    } else if (values instanceof BigInt64Array) {
      if (source instanceof BigInt64Array) values.set(source.subarray(0, rows), at);
      else for (let i = 0; i < rows; i++) values[at + i] = missing?.[i] === 1 ? 0n : toInteger(source[i]!);
    } else if (source instanceof BigInt64Array) {
      const unsigned = this.field.type.startsWith("u");
      for (let i = 0; i < rows; i++) values[at + i] = Number(unsigned ? BigInt.asUintN(64, source[i]!) : source[i]!);
    } else values.set(source.subarray(0, rows), at);
  }

  /** Begins the next row group with room for `capacity` rows. */
  clear(capacity: number): void {
    if (this.values.length !== capacity) this.values = makeValues(this.field.type, capacity);
    this.missing = null;
    this.texts.clear();
  }

  private position(text: string): number {
    let position = this.texts.get(text);
    if (position === undefined) this.texts.set(text, (position = this.texts.size));
    return position;
  }
}

const toInteger = (value: number): bigint => (Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0n);
