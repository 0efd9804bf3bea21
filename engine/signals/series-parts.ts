import { toDataView } from "@/engine/bytes";
import { RecordingError } from "@/engine/formats/recording-error";
import { HEAD, LEVEL_HEAD, MAGIC } from "@/engine/signals/series-encoding";

/** The finest level of a series, whose columns are most of its bytes. */
export interface FinestLevel {
  buckets: number;
  /** Times of the first samples of its first and its last bucket, nanoseconds. */
  first: bigint;
  last: bigint;
}

/** An encoded series in two parts, of which windows that show all of it need the first only. */
interface SeriesParts {
  /** The head and all levels but the finest. */
  coarse: Uint8Array;
  finest: Uint8Array;
  level: FinestLevel;
}

/** Where the columns of the finest level lie; null for a series that has no other level. */
function findFinest(bytes: Uint8Array): { from: number; to: number; buckets: number } | null {
  const view = toDataView(bytes);
  if (bytes.byteLength < HEAD || view.getUint32(0, true) !== MAGIC)
    throw new RecordingError("These bytes are no series.");
  if (view.getUint32(4, true) < 2) return null;
  const position = (level: number): number => view.getUint32(HEAD + level * LEVEL_HEAD + 16, true);
  return { from: position(0), to: position(1), buckets: view.getUint32(HEAD + 8, true) };
}

/** Splits an encoded series of numbers; null for one that has a single level. */
export function splitSeries(bytes: Uint8Array): SeriesParts | null {
  const found = findFinest(bytes);
  if (!found) return null;
  const { from, to, buckets } = found;
  const coarse = new Uint8Array(bytes.length - (to - from));
  coarse.set(bytes.subarray(0, from));
  coarse.set(bytes.subarray(to), from);
  const view = toDataView(bytes);
  const start = view.getBigInt64(8, true);
  const time = (row: number): bigint => start + BigInt(view.getFloat64(from + row * 8, true));
  return { coarse, finest: bytes.subarray(from, to), level: { buckets, first: time(0), last: time(buckets - 1) } };
}

/** The reverse of `splitSeries`; without the finest level, its columns are zeros, and `readSeries` must leave it out. */
export function joinSeries(coarse: Uint8Array, finest: Uint8Array | null): Uint8Array {
  const found = findFinest(coarse);
  if (!found) throw new RecordingError("These bytes are no part of a series.");
  const { from, to } = found;
  const bytes = new Uint8Array(coarse.length + (to - from));
  bytes.set(coarse.subarray(0, from));
  if (finest) bytes.set(finest, from);
  bytes.set(coarse.subarray(from), to);
  return bytes;
}

/** Whether a window shows all of a series with fewer points than its finest level has. */
export const isCoarse = (
  { buckets, first, last }: FinestLevel,
  { from, to, points }: { from: bigint; to: bigint; points: number },
): boolean => from <= first && to >= last && buckets > Math.max(1, Math.floor(points)) * 2;
