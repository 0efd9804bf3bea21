import { ROWS } from "@/engine/columns/column-batch";
import { extremes } from "@/engine/columns/extremes";
import type { TopicGrid } from "@/engine/columns/topic-grid";
import { VALUES } from "@/engine/signals/bucket-levels";
import { Buckets } from "@/engine/signals/buckets";
import { NumberSeries, type SeriesBuckets } from "@/engine/signals/number-series";
import type { SeriesMemory } from "@/engine/signals/series-memory";

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
