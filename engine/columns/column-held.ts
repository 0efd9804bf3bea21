import { toBound } from "@/domain/conditions/number";
import type { Operator } from "@/domain/conditions/operators";
import type { LeafConditionOf } from "@/domain/conditions/schema-registry";
import { durationOrZero } from "@/domain/time/duration";
import type { Extremes } from "@/engine/columns/pyramid";
import type { EpisodeTracker } from "@/engine/rules/episodes";
import type { SampleSignal } from "@/engine/rules/evaluator";
import type { HeldSignal } from "@/engine/rules/held";
import type { SampleTrace } from "@/engine/rules/samples";
import type { Comparison } from "@/engine/rules/truth";

/** Longer windows are evaluated sample by sample: sums of times must stay exact. */
export const maxSpanNs = 2 ** 50;

/** The doubles that meet a comparison: those from `low` to `high`, or all others. */
interface Interval {
  low: number;
  high: number;
  negated: boolean;
}

const bits = new BigInt64Array(1);
const double = new Float64Array(bits.buffer);

/** The next double above or below a finite one. */
function neighbour(value: number, up: boolean): number {
  if (value === 0) return up ? Number.MIN_VALUE : -Number.MIN_VALUE;
  double[0] = value;
  bits[0] = bits[0]! + (value > 0 === up ? 1n : -1n);
  return double[0];
}

/** Null where doubles alone do not decide: for texts, booleans, and numbers beyond 2^53. */
function toInterval({ operator, value }: Comparison): Interval | null {
  const ends = (typeof value === "object" ? [...value] : [value]).map((end) =>
    typeof end === "boolean" ? null : toBound(end),
  );
  const [first, second = first] = ends;
  if (!first?.plain || !second?.plain) return null;
  if ((operator === "eq" || operator === "neq") && typeof value !== "number") return null;
  const [low, high] = [first.number, second.number];
  const span = (from: number, to: number, negated = false): Interval => ({ low: from, high: to, negated });
  const intervals: Record<Operator, () => Interval> = {
    gt: () => span(neighbour(low, true), Infinity),
    gte: () => span(low, Infinity),
    lt: () => span(-Infinity, neighbour(low, false)),
    lte: () => span(-Infinity, low),
    eq: () => span(low, low),
    neq: () => span(low, low, true),
    between: () => span(low, high),
    outside: () => span(low, high, true),
  };
  return intervals[operator]();
}

/** A batch of samples of one field; every sample is a number, or NaN. */
export interface SampleBatch {
  times: Float64Array;
  from: number;
  rows: number;
  values: Float64Array;
  at: number;
  extremes: Extremes;
  /** When the value before the batch stops holding, and how long one holds; Infinity where it always does. */
  breaksAt: number;
  gapLimit: number;
  /** Some sample comes later than the one before it holds. */
  hasGap: boolean;
}

type Direction = "up" | "down" | "outside" | "none";
const directions: Partial<Record<Operator, Direction>> = {
  gt: "up",
  gte: "up",
  lt: "down",
  lte: "down",
  outside: "outside",
};

/** What a threshold on a column is made for. */
interface HeldWatch {
  tracker: EpisodeTracker;
  trace: SampleTrace;
  /** Takes over at the first sample that is not a double. */
  samples: HeldSignal;
  /** First instant of the recording, nanoseconds. */
  start: bigint;
}

/** A threshold on a column of numbers, with the results of `HeldSignal`: batches that are far from it cost nothing. */
export class ColumnHeld implements SampleSignal {
  private replaced = false;
  private since = NaN;
  private due = 0;
  private pendingPeak = NaN;
  private pendingExtent = -Infinity;
  private readonly tracker: EpisodeTracker;
  private readonly trace: SampleTrace;
  private readonly samples: HeldSignal;
  private readonly start: bigint;
  private readonly direction: Direction;
  private readonly window: number;

  private constructor(
    private readonly interval: Interval,
    private readonly recover: Interval | null,
    condition: LeafConditionOf<"threshold">,
    { tracker, trace, samples, start }: HeldWatch,
  ) {
    [this.tracker, this.trace, this.samples, this.start] = [tracker, trace, samples, start];
    this.direction = directions[condition.operator] ?? "none";
    this.window = Number(durationOrZero(condition.window));
  }

  /** Null where the condition has to see the samples themselves. */
  static create(condition: LeafConditionOf<"threshold">, watch: HeldWatch): ColumnHeld | null {
    const interval = toInterval(condition);
    const recover = condition.recover ? toInterval(condition.recover) : null;
    if (interval === null || (condition.recover && recover === null)) return null;
    const held = new ColumnHeld(interval, recover, condition, watch);
    return held.window < maxSpanNs ? held : null;
  }

  get incomparable(): number {
    return this.samples.incomparable;
  }

  sample(time: bigint, value: unknown): void {
    if (typeof value !== "number" && !this.replaced) this.replace();
    if (this.replaced) this.samples.sample(time, value);
    else this.judge(Number(time - this.start), value as number);
  }

  private replace(): void {
    const { since, start } = this;
    this.replaced = true;
    if (since !== since) return;
    const begun = start + BigInt(since);
    this.samples.resume(begun, start + BigInt(this.due), this.pendingPeak, this.pendingExtent);
  }

  gap(at: bigint): void {
    if (this.replaced) {
      this.samples.gap(at);
      return;
    }
    this.since = NaN;
    this.tracker.end(at);
  }

  finish(end: bigint): void {
    this.tracker.finish(end);
  }

  notes(): string[] {
    return [];
  }

  batch(batch: SampleBatch): void {
    const { times, from, rows, values, at, hasGap, gapLimit } = batch;
    const { replaced } = this;
    if (!replaced && !hasGap && !batch.extremes.broken && this.decided(batch)) return;
    let { breaksAt } = batch;
    for (let i = 0; i < rows; i++) {
      if (!hasGap && !this.replaced && this.isIdle) {
        i = this.pass(batch, i);
        if (i === rows) break;
      }
      const time = times[from + i]!;
      if (hasGap) {
        if (time > breaksAt) this.gap(this.start + BigInt(breaksAt));
        breaksAt = time + gapLimit;
      }
      this.trace.markRow = i;
      if (replaced) this.samples.sample(this.start + BigInt(time), values[at + i]!);
      else this.judge(time, values[at + i]!);
    }
  }

  /**
   * Takes the rows of a batch without gaps that neither begin an episode nor belong to one, and returns the first row
   * that has to be judged; those before it are taken. An episode begins where all samples of a window meet the
   * comparison: looked at from the window's end, one that does not rules out all windows with it.
   */
  private pass({ times, from, rows, values, at }: SampleBatch, first: number): number {
    const { low, high, negated } = this.interval;
    const last = times[from + rows - 1]!;
    let row = first;
    let end = first;
    for (;;) {
      // The first row of the window's end, or of the batch's where that comes first.
      const due = times[from + row]! + this.window;
      if (due > last) end = rows;
      else while (times[from + end]! < due) end++;
      let failing = Math.min(end, rows - 1);
      for (; failing >= row; failing--) {
        const value = values[at + failing]!;
        if ((value >= low && value <= high) === negated || value !== value) break;
      }
      if (failing < row) return row;
      row = failing + 1;
      if (row === rows) return rows;
    }
  }

  /** Whether no episode is open, or may begin or go on with what came before. */
  private get isIdle(): boolean {
    const { tracker } = this;
    return this.since !== this.since && !tracker.open && !tracker.lingers && tracker.overflowAt === null;
  }

  /** Whether the batch's extremes are enough, in which case it is taken. */
  private decided({ times, from, rows, values, at, extremes }: SampleBatch): boolean {
    const { low, high, negated } = this.interval;
    const { tracker } = this;
    const within = extremes.low >= low && extremes.high <= high;
    const without = extremes.high < low || extremes.low > high;
    if (negated ? within : without) {
      if (tracker.open && this.recover !== null) return false;
      this.judge(times[from]!, values[at]!);
      return true;
    }
    if (negated ? !without : !within) return false;
    if (!tracker.open && !(times[from + rows - 1]! < this.due && this.since === this.since)) return false;
    if (this.direction === "none" || tracker.overflowAt !== null) return true;
    const { direction } = this;
    const peak = direction === "up" || (direction === "outside" && extremes.low > high) ? extremes.high : extremes.low;
    const extent = this.extent(peak);
    if (tracker.open) {
      if (extent > tracker.extent) tracker.observe(peak, extent);
    } else if (extent > this.pendingExtent) {
      this.pendingExtent = extent;
      this.pendingPeak = peak;
    }
    return true;
  }

  private extent(value: number): number {
    switch (this.direction) {
      case "up":
        return value;
      case "down":
        return -value;
      case "outside":
        return Math.max(this.interval.low - value, value - this.interval.high);
      default:
        return NaN;
    }
  }

  private judge(time: number, value: number): void {
    const { tracker, interval } = this;
    // The tracker has reached its limit of episodes.
    if (tracker.overflowAt !== null) return;
    const inside = value >= interval.low && value <= interval.high;
    if (inside !== interval.negated && value === value) {
      this.holds(time, value);
      return;
    }
    this.since = NaN;
    if (!tracker.open) return;
    const { recover } = this;
    const recovered =
      recover === null || (value >= recover.low && value <= recover.high) !== recover.negated || value !== value;
    if (recovered) tracker.end(this.start + BigInt(time), value);
  }

  private holds(time: number, value: number): void {
    const { tracker } = this;
    const extent = this.extent(value);
    const pending = this.since === this.since;
    if (tracker.open || (!pending && tracker.lingers && tracker.resume(this.start + BigInt(time)))) {
      if (extent > tracker.extent) tracker.observe(value, extent);
      return;
    }
    if (!pending) {
      this.since = time;
      this.due = time + this.window;
      this.pendingExtent = -Infinity;
    }
    if (extent > this.pendingExtent) {
      this.pendingExtent = extent;
      this.pendingPeak = value;
    }
    if (time < this.due) return;
    tracker.begin(this.start + BigInt(this.since), this.start + BigInt(time), value);
    tracker.observe(this.pendingPeak, this.pendingExtent);
    this.since = NaN;
  }
}
