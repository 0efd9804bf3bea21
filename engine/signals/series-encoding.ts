import { toDataView } from "@/engine/bytes";
import { RecordingError } from "@/engine/formats/recording-error";
import { joinValues, VALUES, type BucketLevel } from "@/engine/signals/bucket-levels";
import { Buckets, COUNT, FIRST, LAST, MAX, MIN, OFFSET } from "@/engine/signals/buckets";
import type { SeriesBuckets } from "@/engine/signals/number-series";
import type { SeriesMemory } from "@/engine/signals/series-memory";

/*
 * Layout of an encoded series, little-endian:
 *
 *   "MSN1"  u32 levels  i64 startTime (ns)
 *   per level: f64 width (ns), u32 buckets, u32 flags, u32 position of its columns
 *   per level, one column after another, each padded to 8 bytes:
 *     offsets  f64 nanoseconds from startTime to the bucket's first sample
 *     values   f64, or f32 when flag 2 is set and nothing is lost by it:
 *              first only when flag 1 is set (every bucket holds one sample), else min, max, first, last
 *     counts   u32, absent when flag 1 is set
 *
 * Level 0 is the finest. Each further level has buckets four times as wide as the one before, until few are left.
 */
export const MAGIC = 0x314e534d; // "MSN1"
export const HEAD = 16;
export const LEVEL_HEAD = 20;
const SINGLE = 1;
const SHORT = 2;

/** Encodes the buckets of a series of all levels. */
export function encodeSeries({ levels, values }: SeriesBuckets, startTime: bigint, memory: SeriesMemory): Uint8Array {
  const parts: { level: BucketLevel; values: Float64Array; short: boolean; position: number }[] = [];
  let position = align(HEAD + levels.length * LEVEL_HEAD);
  let joined = values;
  for (const level of levels) {
    const { length } = level.offsets;
    if (level.into !== null) {
      const wider = memory.take(length * VALUES);
      joinValues(joined, level.into, wider);
      joined = wider;
    }
    // The values of a level are among those of the one before.
    const short = parts.at(-1)?.short === true || isShort(joined, length);
    parts.push({ level, values: joined, short, position });
    const column = align(length * (short ? 4 : 8));
    position += length * 8 + (level.single ? column : VALUES * column + align(length * 4));
  }
  const bytes = new Uint8Array(position);
  const view = toDataView(bytes);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, levels.length, true);
  view.setBigInt64(8, startTime, true);
  for (const [i, { level, values: own, short, position: at }] of parts.entries()) {
    const head = HEAD + i * LEVEL_HEAD;
    view.setFloat64(head, level.width, true);
    view.setUint32(head + 8, level.offsets.length, true);
    view.setUint32(head + 12, (level.single ? SINGLE : 0) | (short ? SHORT : 0), true);
    view.setUint32(head + 16, at, true);
    putColumns(bytes.buffer, at, level, own, short);
  }
  return bytes;
}

/** Puts the columns of a level at `position`; the processor's byte order is that of the layout. */
function putColumns(
  buffer: ArrayBuffer,
  position: number,
  { offsets, counts, single }: BucketLevel,
  values: Float64Array,
  short: boolean,
): void {
  const { length } = offsets;
  new Float64Array(buffer, position, length).set(offsets);
  let at = position + length * 8;
  for (const column of single ? [2] : [0, 1, 2, 3]) {
    const target = short ? new Float32Array(buffer, at, length) : new Float64Array(buffer, at, length);
    for (let row = 0; row < length; row++) target[row] = values[row * VALUES + column]!;
    at += align(target.byteLength);
  }
  if (!single) new Uint32Array(buffer, at, length).set(counts);
}

/** Whether the values of the first `length` buckets are the same as 32-bit floats. */
function isShort(values: Float64Array, length: number): boolean {
  for (let at = 0; at < length * VALUES; at++) if (Math.fround(values[at]!) !== values[at]) return false;
  return true;
}

function align(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

/** Time of the bucket's first sample (ns), then min, max, first, last and the number of samples. */
export type SeriesPoint = [timeNs: bigint, min: number, max: number, first: number, last: number, count: number];

export interface SeriesWindow {
  /** Zero is the finest level stored. */
  level: number;
  /** Nanoseconds each point stands for at most. */
  widthNs: number;
  points: SeriesPoint[];
  /** More points were requested than the finest level has, though it joined samples: read the messages instead. */
  exhausted: boolean;
}

/**
 * The points of an encoded series within [from, to] (ns, both included): the finest level that gives at most two points
 * per requested one. Every sample is in some point, so a spike of one sample shows at any width; where there are no
 * samples there are no points. Levels finer than `finest` are not read. Throws a RecordingError for bytes that are no
 * series.
 */
export function readSeries(
  encoded: Uint8Array,
  window: { from: bigint; to: bigint; points: number },
  finest = 0,
): SeriesWindow {
  const series = new EncodedSeries(encoded);
  const maxPoints = Math.max(1, Math.floor(window.points)) * 2;
  const from = Number(window.from - series.startTime);
  const to = Number(window.to - series.startTime);
  let level = finest;
  let range = series.range(level, from, to);
  while (range.end - range.start > maxPoints && level + 1 < series.levels) {
    level += 1;
    range = series.range(level, from, to);
  }
  const buckets = series.buckets(level, range.start, range.end);
  let width = series.width(level);
  let joined = buckets;
  while (joined.length > maxPoints) {
    width *= 2;
    joined = joined.widened(width);
  }
  const points: SeriesPoint[] = [];
  for (let row = 0; row < joined.length; row++) {
    const time = series.startTime + BigInt(joined.at(row, OFFSET));
    const [min, max, first, last] = [
      joined.at(row, MIN),
      joined.at(row, MAX),
      joined.at(row, FIRST),
      joined.at(row, LAST),
    ];
    points.push([time, min, max, first, last, joined.at(row, COUNT)]);
  }
  const finer = (to - from) / Math.max(1, Math.floor(window.points)) < series.width(0);
  return { level, widthNs: width, points, exhausted: level === 0 && finer && points.some((point) => point[5] > 1) };
}

class EncodedSeries {
  readonly startTime: bigint;
  readonly levels: number;
  private readonly view: DataView;

  constructor(bytes: Uint8Array) {
    this.view = toDataView(bytes);
    if (bytes.byteLength < HEAD || this.view.getUint32(0, true) !== MAGIC)
      throw new RecordingError("These bytes are no series.");
    this.levels = this.view.getUint32(4, true);
    this.startTime = this.view.getBigInt64(8, true);
  }

  width(level: number): number {
    return this.view.getFloat64(HEAD + level * LEVEL_HEAD, true);
  }

  private head(level: number): { length: number; single: boolean; short: boolean; at: number } {
    const at = HEAD + level * LEVEL_HEAD;
    const flags = this.view.getUint32(at + 12, true);
    const [single, short] = [(flags & SINGLE) !== 0, (flags & SHORT) !== 0];
    return { length: this.view.getUint32(at + 8, true), single, short, at: this.view.getUint32(at + 16, true) };
  }

  /** The buckets that overlap [from, to]; the first may begin before `from`. */
  range(level: number, from: number, to: number): { start: number; end: number } {
    const { length, at } = this.head(level);
    const width = this.width(level);
    const firstWith = (test: (offset: number) => boolean): number => {
      let low = 0;
      let high = length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (test(this.view.getFloat64(at + middle * 8, true))) high = middle;
        else low = middle + 1;
      }
      return low;
    };
    const begin = Math.floor(from / width) * width;
    return { start: firstWith((offset) => offset >= begin), end: firstWith((offset) => offset > to) };
  }

  buckets(level: number, start: number, end: number): Buckets {
    const { length, single, short, at } = this.head(level);
    const result = new Buckets(Math.max(1, end - start));
    const column = (index: number): number => at + align(length * 8) + index * align(length * (short ? 4 : 8));
    const value = (index: number, row: number): number =>
      short ? this.view.getFloat32(column(index) + row * 4, true) : this.view.getFloat64(column(index) + row * 8, true);
    for (let row = start; row < end; row++) {
      const offset = this.view.getFloat64(at + row * 8, true);
      if (single) result.push(offset, value(0, row));
      else {
        const count = this.view.getUint32(column(4) + row * 4, true);
        result.put(offset, value(0, row), value(1, row), value(2, row), value(3, row), count);
      }
    }
    return result;
  }
}
