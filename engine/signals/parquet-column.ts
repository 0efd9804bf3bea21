import { concatBytes, utf8Bytes } from "@/engine/bytes";
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
  /** Before compression. */
  bytes: Uint8Array;
  /** Null without a value, and where a value is NaN: readers that skip pages would miss it. */
  extremes: Extremes | null;
  /** Whether a value is NaN. */
  hasNaN: boolean;
}

const toBytes = (array: ArrayBufferView): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** The names of an enum in the order of their positions: a page of its own before the data. */
export function dictionaryPage(column: SignalColumn): Uint8Array {
  return concatBytes(
    [...column.texts.keys()].flatMap((text) => {
      const bytes = utf8Bytes(text);
      return [toBytes(Uint32Array.of(bytes.length)), bytes];
    }),
  );
}

/** The rows `[from, to)` of a column as a data page; `optional` columns say which rows have a value. */
export function dataPage(column: SignalColumn, from: number, to: number, optional: boolean): Page {
  const rows = to - from;
  const nulls = countMissing(column, from, to);
  const values = nulls === 0 ? column.values.subarray(from, to) : takePresent(column, from, to, rows - nulls);
  const { encoding, bytes } = encodeValues(column, values);
  const levels = optional ? encodePresence(column, from, to, nulls) : null;
  const { extremes, hasNaN } = findExtremes(column.field.type, values);
  return {
    rows,
    nulls,
    encoding,
    bytes: levels ? concatBytes([toBytes(Uint32Array.of(levels.length)), levels, bytes]) : bytes,
    extremes,
    hasNaN,
  };
}

function countMissing({ missing }: SignalColumn, from: number, to: number): number {
  let count = 0;
  if (missing !== null) for (let row = from; row < to; row++) count += missing[row]!;
  return count;
}

/** The values of the rows that have one. */
function takePresent({ missing, values }: SignalColumn, from: number, to: number, count: number) {
  const present = values.slice(from, from + count);
  if (missing === null || count === 0) return present;
  for (let row = from, at = 0; row < to; row++) if (missing[row] === 0) present[at++] = values[row]!;
  return present;
}

/** Which rows have a value: mostly all or none, which is one run. */
function encodePresence({ missing }: SignalColumn, from: number, to: number, nulls: number): Uint8Array {
  if (missing === null || nulls === 0 || nulls === to - from) return encodeRun(nulls === 0 ? 1 : 0, to - from, 1);
  const present = new Uint8Array(to - from);
  for (let row = from; row < to; row++) present[row - from] = 1 - missing[row]!;
  return encodeLevels(present, 0, present.length, 1);
}

function encodeValues(column: SignalColumn, values: SignalColumn["values"]): { encoding: number; bytes: Uint8Array } {
  if (column.field.type === "enum") {
    const width = Math.max(1, Math.ceil(Math.log2(column.texts.size)));
    const levels = encodeLevels(values as Int32Array, 0, values.length, width);
    return { encoding: encodings.dictionary, bytes: concatBytes([Uint8Array.of(width), levels]) };
  }
  if (values instanceof Uint8Array) return { encoding: encodings.plain, bytes: encodeBits(values) };
  if (values instanceof Float64Array || values instanceof Float32Array) {
    return { encoding: encodings.byteStreamSplit, bytes: splitBytes(values) };
  }
  const bytes = values.length === 0 ? null : encodeDeltas(values);
  return bytes === null ? { encoding: encodings.plain, bytes: toBytes(values) } : { encoding: encodings.delta, bytes };
}

const none = { extremes: null, hasNaN: false };

function findExtremes(
  type: SignalType,
  values: SignalColumn["values"],
): { extremes: Extremes | null; hasNaN: boolean } {
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
