import { compareNumbers } from "@/domain/conditions/operators";
import type { LeafConditionOf } from "@/domain/conditions/schema-registry";
import { durationOrZero } from "@/domain/time/duration";
import { maxSpanNs } from "@/engine/columns/column-held";
import type { EpisodeTracker } from "@/engine/rules/episodes";
import type { MessageSignal } from "@/engine/rules/evaluator";
import { countedAtLeast, direction } from "@/engine/rules/frequency";

/**
 * Counts a topic's messages in the sliding window (t − window, t] with the results of `FrequencySignal`; batches too
 * small to reach the count are not looked into.
 */
export class ColumnFrequency implements MessageSignal {
  /** When each message leaves the window, nanoseconds from the recording's start; those in it are [head, tail). */
  private expiries = new Float64Array(1024);
  private head = 0;
  private tail = 0;
  private arrival = Infinity;
  private fullWindow = Infinity;
  private readonly judgedFrom: number;
  private readonly capacity: number;
  private readonly window: number;
  /** The least count that meets the condition, where every greater one does too; else 0. */
  private readonly least: number;

  private constructor(
    private readonly condition: LeafConditionOf<"frequency">,
    private readonly tracker: EpisodeTracker,
    private readonly start: bigint,
  ) {
    const { count_operator: operator, count } = condition;
    this.window = Number(durationOrZero(condition.window));
    this.capacity = Math.max(countedAtLeast, count + 2);
    const meetsNone = compareNumbers[operator](0, count);
    this.judgedFrom = meetsNone ? this.window : 0;
    if (meetsNone) this.fullWindow = this.judgedFrom;
    this.least = meetsNone ? 0 : operator === "gt" ? count + 1 : operator === "gte" ? count : 0;
  }

  /** Null where it cannot be computed exactly with doubles, or counts samples. `start`: nanoseconds, the recording's. */
  static create(
    condition: LeafConditionOf<"frequency">,
    tracker: EpisodeTracker,
    start: bigint,
  ): ColumnFrequency | null {
    if (condition.field !== undefined) return null;
    const made = new ColumnFrequency(condition, tracker, start);
    return made.window < maxSpanNs ? made : null;
  }

  message(time: bigint): void {
    this.count(Number(time - this.start));
  }

  batch(times: Float64Array, from: number, rows: number): void {
    if (this.least > 0) {
      const first = times[from]!;
      if (this.arrival !== Infinity) this.judgeUntil(first);
      if (!this.tracker.open) {
        while (this.head < this.tail && this.expiries[this.head]! <= first) this.head++;
        if (this.tail - this.head + rows < this.least) {
          // No window that ends here meets the condition, so there is nothing to judge later either.
          for (let i = 0; i < rows; i++) this.push(times[from + i]! + this.window);
          this.arrival = Infinity;
          return;
        }
      }
    }
    for (let i = 0; i < rows; i++) this.count(times[from + i]!);
  }

  finish(end: bigint): void {
    this.judgeUntil(Number(end - this.start));
    this.tracker.finish(end);
  }

  notes(): string[] {
    return [];
  }

  private count(time: number): void {
    this.judgeUntil(time);
    this.arrival = time;
    this.push(time + this.window);
    if (this.tail - this.head > this.capacity) this.head++;
  }

  private push(expiry: number): void {
    if (this.tail === this.expiries.length) {
      const live = this.tail - this.head;
      const room = live * 2 > this.tail ? new Float64Array(this.tail * 2) : this.expiries;
      room.set(this.expiries.subarray(this.head, this.tail));
      this.expiries = room;
      this.head = 0;
      this.tail = live;
    }
    this.expiries[this.tail++] = expiry;
  }

  // All changes at one instant count as one, so an instant is evaluated only after time has moved past it.
  private judgeUntil(limit: number): void {
    for (;;) {
      let next = this.head < this.tail ? this.expiries[this.head]! : Infinity;
      if (this.arrival < next) next = this.arrival;
      if (this.fullWindow < next) next = this.fullWindow;
      if (next >= limit) return;
      while (this.head < this.tail && this.expiries[this.head]! <= next) this.head++;
      if (this.arrival === next) this.arrival = Infinity;
      if (this.fullWindow === next) this.fullWindow = Infinity;
      if (next >= this.judgedFrom) this.judge(next);
    }
  }

  private judge(at: number): void {
    const { tracker, condition } = this;
    const count = this.tail - this.head;
    const holds = compareNumbers[condition.count_operator](count, condition.count);
    if (!holds && !tracker.open) return;
    if (!holds) {
      tracker.end(this.start + BigInt(at), count);
      return;
    }
    const time = this.start + BigInt(at);
    if (!tracker.open) tracker.begin(time, time, count);
    tracker.observe(count, direction[condition.count_operator] * count);
  }
}
