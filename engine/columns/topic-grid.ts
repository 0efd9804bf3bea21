import { ROWS } from "@/engine/columns/column-batch";
import { extremes } from "@/engine/columns/extremes";
import {
  buildLevels,
  countBuckets,
  joinBuckets,
  joinValues,
  VALUES,
  type BucketLevel,
} from "@/engine/signals/bucket-levels";
import { Buckets } from "@/engine/signals/buckets";
import { NumberSeries, type SeriesBuckets } from "@/engine/signals/number-series";
import type { SeriesMemory } from "@/engine/signals/series-memory";

const firstCapacity = 256;

/** Rows of a stretch, on average, from which on `extremes` is faster. */
const longStretch = 4;

/**
 * The buckets of one topic. All its fields share times, so that the bounds of buckets are found once for a batch, and
 * are folded into each column in a tight loop. Widens as `NumberSeries` does, all columns together.
 */
export class TopicGrid {
  /** Nanoseconds from the start of the recording to each bucket's first sample, and its number of samples. */
  offsets = new Float64Array(firstCapacity);
  counts = new Float64Array(firstCapacity);
  length = 0;
  private end = -1;
  private levels: BucketLevel[] | null = null;
  /** By column, the values of each bucket: minimum, maximum, first and last; none of a column that has left. */
  readonly values: Float64Array[] = [];
  /** Stretches of a batch that fall into one bucket: rows [runFrom[r], runFrom[r + 1]). */
  runs = 0;
  readonly runFrom = new Int32Array(ROWS + 1);
  readonly runBucket = new Int32Array(ROWS);
  /** Whether the stretches are long, and known to `extremes`. */
  isLong = false;
  /** Whether the first stretch continues the last bucket of the batch before. */
  continues = false;

  constructor(
    private readonly share: { buckets: number },
    public width: number,
  ) {}

  /** Adds a column, before the first `begin`; returns its number. */
  addColumn(): number {
    return this.values.push(new Float64Array(this.offsets.length * VALUES)) - 1;
  }

  /** Takes a column out; returns the values that it had. */
  removeColumn(column: number): Float64Array {
    const values = this.values[column]!;
    this.values[column] = new Float64Array(0);
    return values;
  }

  /**
   * Puts rows [from, to) into buckets, up to the one for which buckets must be widened first, and returns that row or
   * `to`. Rows are positions in `times`; stretches count from `from`.
   */
  begin(times: Float64Array, from: number, to: number): number {
    const { runFrom, runBucket } = this;
    const cap = this.share.buckets;
    if (this.length + to - from > this.offsets.length) this.grow(Math.min(cap, this.length + to - from));
    const { offsets, counts, width } = this;
    // Widths are powers of two, so that this is exact.
    const perWidth = 1 / width;
    let { end, length } = this;
    let runs = 0;
    this.continues = from < to && length > 0 && times[from]! < end;
    if (this.continues) {
      runFrom[0] = 0;
      runBucket[0] = length - 1;
      runs = 1;
    }
    let at = from;
    for (; at < to; at++) {
      const time = times[at]!;
      if (time < end) continue;
      if (length >= cap) break;
      runFrom[runs] = at - from;
      runBucket[runs++] = length;
      counts[length] = 0;
      offsets[length++] = time;
      end = (Math.floor(time * perWidth) + 1) * width;
    }
    runFrom[runs] = at - from;
    for (let run = 0; run < runs; run++)
      counts[runBucket[run]!] = counts[runBucket[run]!]! + runFrom[run + 1]! - runFrom[run]!;
    this.runs = runs;
    this.isLong = extremes !== null && at - from >= longStretch * runs;
    if (this.isLong) for (let run = 0; run <= runs; run++) extremes!.from[run] = runFrom[run]!;
    this.end = end;
    this.length = length;
    return at;
  }

  private grow(least: number): void {
    const capacity = Math.max(least, Math.min(this.share.buckets, this.offsets.length * 4));
    // What a topic may hold shrinks as others appear.
    if (capacity <= this.offsets.length) return;
    const longer = (values: Float64Array, size: number) => {
      const all = new Float64Array(capacity * size);
      all.set(values.subarray(0, this.length * size));
      return all;
    };
    this.offsets = longer(this.offsets, 1);
    this.counts = longer(this.counts, 1);
    for (const [column, values] of this.values.entries())
      if (values.length > 0) this.values[column] = longer(values, VALUES);
  }

  /** Makes room for a sample at `next`. */
  widen(next: number): void {
    this.fit(this.share.buckets, next);
  }

  /** Widens the buckets until there are no more than `cap`, with the one of a sample at `next` where that is given. */
  fit(cap: number, next = NaN): void {
    const { offsets, counts, length } = this;
    if (length + (next >= this.end ? 1 : 0) <= cap) return;
    let least = next >= 0 ? next - offsets[length - 1]! : Infinity;
    for (let row = 1; row < length; row++) least = Math.min(least, offsets[row]! - offsets[row - 1]!);
    let width = Math.max(this.width * 2, 2 ** Math.floor(Math.log2(Math.max(1, least))));
    while (countBuckets(offsets, width, length, next) > cap) width *= 2;
    const into = new Int32Array(length);
    const joined = joinBuckets(offsets, counts, length, width, into);
    for (const values of this.values) if (values.length > 0) joinValues(values, into, values);
    this.length = joined;
    this.width = width;
    this.end = (Math.floor(offsets[joined - 1]! / width) + 1) * width;
  }

  /** The levels of what is stored of these buckets, once all samples are in them. */
  getLevels(): BucketLevel[] {
    const { offsets, counts, length, width } = this;
    return (this.levels ??= buildLevels(offsets.subarray(0, length), counts.subarray(0, length), width));
  }
}

/** Copies the values of one bucket. */
function copyValues(values: Float64Array, from: number, target: Float64Array, to: number): void {
  target[to] = values[from]!;
  target[to + 1] = values[from + 1]!;
  target[to + 2] = values[from + 2]!;
  target[to + 3] = values[from + 3]!;
}

/** Puts the values of a stretch into its bucket, at `k`; `continues`: beside those of the batch before. */
function putValues(
  rows: Float64Array,
  k: number,
  continues: boolean,
  min: number,
  max: number,
  first: number,
  last: number,
): void {
  if (continues) {
    if (min < rows[k]!) rows[k] = min;
    if (max > rows[k + 1]!) rows[k + 1] = max;
  } else {
    rows[k] = min;
    rows[k + 1] = max;
    rows[k + 2] = first;
  }
  rows[k + 3] = last;
}

/**
 * The series of one field whose samples are in the buckets of its topic's grid, as long as every message has a finite
 * value: from the first that has none, a series of its own.
 */
export class GridSeries extends NumberSeries {
  /** Of the rows folded last; `broken` when one of them was not finite, with the extremes of the others. */
  low = Infinity;
  high = -Infinity;
  broken = false;
  private readonly column: number;
  private readonly kept = new Float64Array(VALUES);
  /** The column's values in the batches so far. */
  private view: Float64Array | null = null;
  private viewAt = -1;

  constructor(
    share: { buckets: number },
    width: number,
    private grid: TopicGrid | null,
  ) {
    super(share, width);
    this.column = grid === null ? 0 : grid.addColumn();
  }

  /** Adds the rows of the grid's last `begin`, whose values begin at `at`; returns false where one is not finite. */
  fold(values: Float64Array, at: number): boolean {
    const grid = this.grid!;
    const { runs, runBucket } = grid;
    if (runs === 0) return true;
    const rows = grid.values[this.column]!;
    if (grid.continues) copyValues(rows, runBucket[0]! * VALUES, this.kept, 0);
    if (grid.isLong && this.foldLong(grid, rows, values, at)) return true;
    this.foldRuns(grid, rows, values, at);
    return !this.broken && this.low !== -Infinity && this.high !== Infinity;
  }

  /** Folds long stretches; false, with nothing changed, where `extremes` does not tell all. */
  private foldLong(grid: TopicGrid, rows: Float64Array, values: Float64Array, at: number): boolean {
    const { runs, runFrom, runBucket, continues } = grid;
    // Columns of zeros alone are many.
    if (values[at] === 0) return false;
    if (this.view?.buffer !== values.buffer || this.viewAt !== at) {
      this.view = values.subarray(at, at + ROWS);
      this.viewAt = at;
    }
    extremes!.values.set(this.view);
    if (!extremes!.find(runs)) return false;
    const { found } = extremes!;
    let low = Infinity;
    let high = -Infinity;
    for (let run = 0; run < 2 * runs; run += 2) {
      if (found[run]! < low) low = found[run]!;
      if (found[run + 1]! > high) high = found[run + 1]!;
      if (found[run] === 0 || found[run + 1] === 0) return false;
    }
    for (let run = 0; run < runs; run++) {
      const k = runBucket[run]! * VALUES;
      const min = found[2 * run]!;
      const max = found[2 * run + 1]!;
      putValues(
        rows,
        k,
        run === 0 && continues,
        min,
        max,
        values[at + runFrom[run]!]!,
        values[at + runFrom[run + 1]! - 1]!,
      );
    }
    this.low = low;
    this.high = high;
    this.broken = false;
    return true;
  }

  private foldRuns(grid: TopicGrid, rows: Float64Array, values: Float64Array, at: number): void {
    const { runs, runFrom, runBucket, continues } = grid;
    let low = Infinity;
    let high = -Infinity;
    let broken = false;
    for (let run = 0; run < runs; run++) {
      let i = at + runFrom[run]!;
      const to = at + runFrom[run + 1]!;
      const k = runBucket[run]! * VALUES;
      const first = values[i]!;
      let min = first;
      let max = first;
      if (first !== first) broken = true;
      for (i++; i < to; i++) {
        const value = values[i]!;
        if (value < min) min = value;
        else if (!(value <= max)) {
          if (value > max) max = value;
          else broken = true;
        }
      }
      if (min < low) low = min;
      if (max > high) high = max;
      putValues(rows, k, run === 0 && continues, min, max, first, values[to - 1]!);
    }
    this.low = low;
    this.high = high;
    this.broken = broken;
  }

  /** Leaves the grid with the samples of before its last `begin`; from here on, samples are added one by one. */
  leaveBefore(): void {
    const grid = this.grid!;
    const started = grid.runs - (grid.continues ? 1 : 0);
    const values = grid.removeColumn(this.column);
    if (grid.continues) copyValues(this.kept, 0, values, grid.runBucket[0]! * VALUES);
    const length = grid.length - started;
    const later = grid.continues ? grid.runFrom[1]! - grid.runFrom[0]! : 0;
    this.grid = null;
    this.width = grid.width;
    if (length === 0) return;
    this.buckets = new Buckets(length);
    for (let row = 0; row < length; row++) {
      const k = row * VALUES;
      const count = grid.counts[row]! - (row === length - 1 ? later : 0);
      this.buckets.put(grid.offsets[row]!, values[k]!, values[k + 1]!, values[k + 2]!, values[k + 3]!, count);
    }
    this.bucketEnd = (Math.floor(grid.offsets[length - 1]! / grid.width) + 1) * grid.width;
  }

  get isInGrid(): boolean {
    return this.grid !== null;
  }

  override fit(cap = this.share.buckets, next = NaN): void {
    if (this.grid === null) super.fit(cap, next);
    else this.grid.fit(cap, next);
  }

  override getBuckets(memory: SeriesMemory): SeriesBuckets {
    const { grid, column } = this;
    if (grid === null) return super.getBuckets(memory);
    return { levels: grid.getLevels(), values: grid.values[column]!.subarray(0, grid.length * VALUES) };
  }

  override release(): void {
    super.release();
    this.grid?.removeColumn(this.column);
    this.grid = null;
  }

  /** Adds those of rows [0, rows) that are finite, and whose values begin at `at`. */
  addRows(times: Float64Array, from: number, rows: number, values: Float64Array, at: number): void {
    let low = Infinity;
    let high = -Infinity;
    let broken = false;
    for (let i = 0; i < rows; i++) {
      const value = values[at + i]!;
      if (value - value !== 0) {
        broken = true;
        continue;
      }
      if (value < low) low = value;
      if (value > high) high = value;
      this.add(times[from + i]!, value);
    }
    this.low = low;
    this.high = high;
    this.broken = broken;
  }
}
