import { utf8Bytes } from "@/engine/bytes";
import type { ByteWriter } from "@/engine/signals/byte-writer";
import {
  encodeBits,
  encodeDeltas,
  encodeLevels,
  encodeRun,
  encodings,
  splitBytes,
} from "@/engine/signals/parquet-encoding";
import type { SignalColumn } from "@/engine/signals/signal-column";
import type { SignalType } from "@/engine/signals/signal-types";

/** Parquet's physical types, and its older annotations, which every reader knows. */
const physical = { boolean: 0, int32: 1, int64: 2, float: 4, double: 5, bytes: 6 } as const;

/** How Parquet stores each type: its physical type and, where it is no plain number, its annotation. */
export const storage: Record<SignalType, { physical: number; annotation?: number }> = {
  bool: { physical: physical.boolean },
  int8: { physical: physical.int32, annotation: 15 },
  uint8: { physical: physical.int32, annotation: 11 },
  int16: { physical: physical.int32, annotation: 16 },
  uint16: { physical: physical.int32, annotation: 12 },
  int32: { physical: physical.int32, annotation: 17 },
  uint32: { physical: physical.int32, annotation: 13 },
  int64: { physical: physical.int64 },
  uint64: { physical: physical.int64, annotation: 14 },
  float32: { physical: physical.float },
  float64: { physical: physical.double },
  enum: { physical: physical.bytes, annotation: 0 },
};

/** The smallest and largest value, as Parquet stores them. */
interface Extremes {
  low: Uint8Array;
  high: Uint8Array;
}

export interface Page {
  rows: number;
  nulls: number;
  encoding: number;
  /** Null without a value, and where a value is NaN: readers that skip pages would miss it. */
  extremes: Extremes | null;
  /** Whether a value is NaN. */
  hasNaN: boolean;
}

type Values = ReturnType<SignalColumn["values"]>;

const toBytes = (array: ArrayBufferView): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** The names of an enum in the order of their positions: a page of its own before the data. */
export function dictionaryPage(out: ByteWriter, column: SignalColumn): void {
  for (const text of column.texts.keys()) {
    const bytes = utf8Bytes(text);
    out.append(toBytes(Uint32Array.of(bytes.length)));
    out.append(bytes);
  }
}

/**
 * Writes the rows `[from, to)` of a column as a data page, not compressed; `optional` columns say which rows have a
 * value.
 */
export function dataPage(out: ByteWriter, column: SignalColumn, from: number, to: number, optional: boolean): Page {
  const rows = to - from;
  const nulls = countMissing(column, from, to);
  if (optional) {
    const size = out.room(4);
    encodePresence(out, column, from, to, nulls);
    out.view.setUint32(size, out.length - size - 4, true);
  }
  const values = nulls === 0 ? column.values(from, to) : takePresent(column, from, to, rows - nulls);
  const encoding = encodeValues(out, column, values);
  return { rows, nulls, encoding, ...findExtremes(column.field.type, values) };
}

function countMissing({ missing }: SignalColumn, from: number, to: number): number {
  let count = 0;
  if (missing !== null) for (let row = from; row < to; row++) count += missing[row]!;
  return count;
}

/** The values of the rows that have one. */
function takePresent(column: SignalColumn, from: number, to: number, count: number): Values {
  const { missing } = column;
  if (missing === null || count === 0) return column.values(from, from);
  const values = column.values(from, to);
  const present = values.slice(0, count);
  for (let i = 0, at = 0; i < values.length; i++) if (missing[from + i] === 0) present[at++] = values[i]!;
  return present;
}

/** Which rows have a value: mostly all or none, which is one run. */
function encodePresence(out: ByteWriter, { missing }: SignalColumn, from: number, to: number, nulls: number): void {
  if (missing === null || nulls === 0 || nulls === to - from) {
    encodeRun(out, nulls === 0 ? 1 : 0, to - from, 1);
    return;
  }
  const present = new Uint8Array(to - from);
  for (let row = from; row < to; row++) present[row - from] = 1 - missing[row]!;
  encodeLevels(out, present, 0, present.length, 1);
}

/** Resolves to the number of the encoding. */
function encodeValues(out: ByteWriter, column: SignalColumn, values: Values): number {
  if (column.field.type === "enum") {
    const width = Math.max(1, Math.ceil(Math.log2(column.texts.size)));
    out.byte(width);
    encodeLevels(out, values as Int32Array, 0, values.length, width);
    return encodings.dictionary;
  }
  if (values instanceof Uint8Array) {
    encodeBits(out, values);
    return encodings.plain;
  }
  if (values instanceof Float64Array || values instanceof Float32Array) {
    splitBytes(out, values);
    return encodings.byteStreamSplit;
  }
  if (values.length > 0 && encodeDeltas(out, values)) return encodings.delta;
  out.append(toBytes(values));
  return encodings.plain;
}

const none = { extremes: null, hasNaN: false };

function findExtremes(type: SignalType, values: Values): Pick<Page, "extremes" | "hasNaN"> {
  if (values.length === 0 || type === "enum") return none;
  if (values instanceof BigInt64Array) return { extremes: bigExtremes(values, type === "uint64"), hasNaN: false };
  const ordered = type === "uint32" ? new Uint32Array(values.buffer, values.byteOffset, values.length) : values;
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < ordered.length; i++) {
    const value = ordered[i]!;
    if (value !== value) return { extremes: null, hasNaN: true };
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const at = (value: number): Uint8Array => {
    if (type === "float64") return toBytes(Float64Array.of(value));
    if (type === "float32") return toBytes(Float32Array.of(value));
    return type === "bool" ? Uint8Array.of(value) : toBytes(Int32Array.of(value));
  };
  // Zero has two signs, and readers may compare by bytes.
  return {
    extremes: { low: at(low === 0 && type.startsWith("f") ? -0 : low), high: at(high === 0 ? 0 : high) },
    hasNaN: false,
  };
}

function bigExtremes(values: BigInt64Array, unsigned: boolean): Extremes {
  const ordered = unsigned ? new BigUint64Array(values.buffer, values.byteOffset, values.length) : values;
  let low = ordered[0]!;
  let high = low;
  for (let i = 1; i < ordered.length; i++) {
    const value = ordered[i]!;
    if (value < low) low = value;
    else if (value > high) high = value;
  }
  return {
    low: toBytes(BigUint64Array.of(BigInt.asUintN(64, low))),
    high: toBytes(BigUint64Array.of(BigInt.asUintN(64, high))),
  };
}
