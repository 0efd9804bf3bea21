import { STRIDE, type Columns, type Slot } from "@/engine/columns/column-batch";
import { GridSeries } from "@/engine/columns/grid-series";
import { TopicGrid } from "@/engine/columns/topic-grid";
import type { SeriesBuilder } from "@/engine/signals/series";
import type { StateSeries } from "@/engine/signals/state-series";

/** Extremes of a column in the batch at hand; `broken` when they leave out values that are not finite. */
export interface Extremes {
  low: number;
  high: number;
  broken: boolean;
}

/** Adds the columns of one topic to the series: buckets of numbers, and runs of equal states. */
export class TopicPyramid {
  private grid: TopicGrid | null = null;
  private readonly numbers: (GridSeries | null | undefined)[] = [];
  private readonly states: (StateSeries | null | undefined)[] = [];
  /** The number that stands for each slot's last state. */
  private readonly lastStates: number[] = [];
  private readonly extremes: (Extremes | null)[] = [];
  private started = false;

  constructor(
    private readonly topic: string,
    private readonly slots: readonly Slot[],
    private readonly series: SeriesBuilder,
  ) {}

  /** Adds rows whose times lie at [from, from + rows) of `times`, nanoseconds from the start of the recording. */
  take(times: Float64Array, from: number, rows: number, columns: Columns): void {
    const { slots } = this;
    for (let slot = 0; slot < slots.length; slot++) {
      if (slots[slot]!.field.kind === "number") this.openNumber(slot, rows, columns);
    }
    for (let slot = 0; slot < slots.length; slot++) {
      const { kind } = slots[slot]!.field;
      if (kind !== "number" && kind !== "time") this.takeStates(slot, times, from, rows, columns);
    }
    this.started = true;
    for (let slot = 0; slot < slots.length; slot++) this.extremes[slot] = null;
    for (let done = 0; done < rows;) {
      const { grid } = this;
      const next = grid === null ? from + rows : grid.begin(times, from + done, from + rows);
      const count = next - from - done;
      if (count > 0) this.fold(times, from, done, count, columns);
      done += count;
      if (done < rows) grid?.widen(times[from + done]!);
    }
  }

  /** Extremes of a slot in the batch taken last; null for what no series holds. */
  getExtremes(slot: number): Extremes | null {
    return this.extremes[slot] ?? null;
  }

  private isAbsent(slot: number, { groups }: Columns): boolean {
    const { group, element } = this.slots[slot]!;
    return group >= 0 && groups[2 * group]! <= element;
  }

  private openNumber(slot: number, rows: number, columns: Columns): void {
    if (this.numbers[slot] !== undefined || this.isAbsent(slot, columns)) return;
    const { values } = columns;
    const at = slot * STRIDE;
    let present = false;
    for (let i = at; i < at + rows && !present; i++) present = values[i]! === values[i]!;
    if (!present) return;
    const series = this.series.numbers(this.topic, this.slots[slot]!.field.path, (share, width) => {
      if (this.started) return new GridSeries(share, width, null);
      this.grid ??= new TopicGrid(share, width);
      return new GridSeries(share, width, this.grid);
    });
    this.numbers[slot] = series instanceof GridSeries ? series : null;
  }

  /** Folds rows [done, done + count) of the batch, those of the grid's last `begin`, into every column. */
  private fold(times: Float64Array, from: number, done: number, count: number, columns: Columns): void {
    for (let slot = 0; slot < this.numbers.length; slot++) {
      const series = this.numbers[slot];
      if (!series || (!series.isInGrid && this.isAbsent(slot, columns))) continue;
      const at = slot * STRIDE + done;
      if (!series.isInGrid) series.addRows(times, from + done, count, columns.values, at);
      else if (!series.fold(columns.values, at)) {
        series.leaveBefore();
        series.addRows(times, from + done, count, columns.values, at);
      }
      const { low, high, broken } = series;
      const before = this.extremes[slot];
      if (before) {
        if (low < before.low) before.low = low;
        if (high > before.high) before.high = high;
        before.broken ||= broken;
      } else this.extremes[slot] = { low, high, broken };
    }
  }

  private takeStates(slot: number, times: Float64Array, from: number, rows: number, columns: Columns): void {
    if (this.isAbsent(slot, columns)) return;
    const { field, holds } = this.slots[slot]!;
    const { values, texts } = columns;
    const at = slot * STRIDE;
    let series = this.states[slot];
    let last = this.lastStates[slot] ?? NaN;
    for (let i = 0; i < rows; i++) {
      const value = values[at + i]!;
      if (value === last) {
        if (series) series.count += 1;
        continue;
      }
      if (value !== value) continue;
      if (series === undefined) series = this.states[slot] = this.series.states(this.topic, field.path);
      if (series === null) return;
      const state = holds === "text" ? texts.lists[slot]![value]! : holds === "boolean" ? value !== 0 : value;
      series.add(
        Math.max(0, times[from + i]!),
        typeof state === "number" ? (field.enumValues?.[state] ?? state) : state,
      );
      last = value;
    }
    this.lastStates[slot] = last;
  }

  /** Texts of a slot got new numbers. */
  forgetState(slot: number): void {
    this.lastStates[slot] = NaN;
  }
}
