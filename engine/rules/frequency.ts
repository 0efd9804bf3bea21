import { compareNumbers, type CountOperator } from "@/domain/conditions/operators";
import { durationOrZero } from "@/domain/time/duration";
import { never, type EpisodeTracker } from "@/engine/rules/episodes";
import type { LeafEvaluator, MessageSignal, SampleSignal } from "@/engine/rules/evaluator";
import { enumNames } from "@/engine/rules/facts";
import { isIncomparable } from "@/engine/rules/held";
import { showValue } from "@/engine/rules/samples";
import { broken, listTests, yes, type ValueTest } from "@/engine/rules/truth";

/**
 * Counts are exact up to here, or to just above the rule's own count; the condition is decided correctly beyond it too.
 */
export const countedAtLeast = 65_536;

/** What a count is multiplied with to compare extents; NaN where none is the more extreme. */
export const direction: Record<CountOperator, number> = { gt: 1, gte: 1, lt: -1, lte: -1, eq: NaN, neq: NaN };

interface FrequencyOptions {
  operator: CountOperator;
  count: number;
  window: bigint;
  /** First instant of the recording. */
  start: bigint;
}

/**
 * Counts messages in the sliding window (t − window, t], at every arrival and every expiry. Where a count of zero meets
 * the condition, only windows fully inside the recording are evaluated: its first second is not a drop in rate.
 */
class FrequencySignal implements MessageSignal {
  private readonly expiries: bigint[] = [];
  private head = 0;
  private readonly capacity: number;
  private readonly judgedFrom: bigint;
  /** Instants to evaluate at besides expiries: the latest arrival, and the first full window. */
  private arrival = never;
  private fullWindow = never;

  constructor(
    private readonly options: FrequencyOptions,
    private readonly tracker: EpisodeTracker,
  ) {
    this.capacity = Math.max(countedAtLeast, options.count + 2);
    const meetsNone = compareNumbers[options.operator](0, options.count);
    this.judgedFrom = meetsNone ? options.start + options.window : options.start;
    if (meetsNone) this.fullWindow = this.judgedFrom;
  }

  message(time: bigint): void {
    this.judgeUntil(time);
    this.arrival = time;
    this.expiries.push(time + this.options.window);
    if (this.expiries.length - this.head > this.capacity) this.dropOldest();
  }

  finish(end: bigint): void {
    this.judgeUntil(end);
    this.tracker.finish(end);
  }

  notes(): string[] {
    return [];
  }

  private dropOldest(): void {
    this.head++;
    if (this.head > 4096 && this.head * 2 > this.expiries.length) {
      this.expiries.splice(0, this.head);
      this.head = 0;
    }
  }

  // All changes at one instant count as one, so an instant is evaluated only after time has moved past it.
  private judgeUntil(limit: bigint): void {
    for (;;) {
      let next = this.expiries[this.head] ?? never;
      if (this.arrival < next) next = this.arrival;
      if (this.fullWindow < next) next = this.fullWindow;
      if (next >= limit) return;
      while ((this.expiries[this.head] ?? never) <= next) this.dropOldest();
      if (this.arrival === next) this.arrival = never;
      if (this.fullWindow === next) this.fullWindow = never;
      if (next >= this.judgedFrom) this.judge(next);
    }
  }

  private judge(at: bigint): void {
    const { tracker } = this;
    const { operator, count: bound } = this.options;
    const count = this.expiries.length - this.head;
    if (!compareNumbers[operator](count, bound)) {
      tracker.end(at, count);
      return;
    }
    if (!tracker.open) tracker.begin(at, at, count);
    tracker.observe(count, direction[operator] * count);
  }
}

/** Counts only the messages whose field meets a condition. */
class FilteredFrequency implements SampleSignal {
  incomparable = 0;

  constructor(
    private readonly test: ValueTest,
    private readonly frequency: FrequencySignal,
  ) {}

  sample(time: bigint, value: unknown): void {
    const truth = this.test.judge(value);
    if (truth === yes) this.frequency.message(time);
    else if (truth === broken && isIncomparable(value)) this.incomparable++;
  }

  // Gaps need no handling: counted messages expire with the window.
  gap(): void {}

  finish(end: bigint): void {
    this.frequency.finish(end);
  }

  notes(): string[] {
    return this.frequency.notes();
  }
}

export const frequency: LeafEvaluator<"frequency"> = {
  watchesSilence: false,
  watch(condition, { topic, recording, tracker }) {
    const { topic: own, count_operator: operator, count, field, field_mode, operator: compares, value } = condition;
    const window = durationOrZero(condition.window);
    const counted = new FrequencySignal({ operator, count, window, start: recording.startTime }, tracker);
    if (field === undefined || compares === undefined || value === undefined) return { messages: counted };
    const names = enumNames(topic, { field, topic: own });
    const { test } = listTests({ operator: compares, value, field_mode }, names);
    return { samples: new FilteredFrequency(test, counted) };
  },
  show: showValue,
};
