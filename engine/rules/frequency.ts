import { z } from "zod";
import { compareNumbers, type CountOperator } from "@/domain/conditions/operators";
import { durationOrZero } from "@/domain/time/duration";
import { never, type EpisodeTracker } from "@/engine/rules/episodes";
import type { LeafEvaluator, MessageSignal, SampleSignal, Streamed } from "@/engine/rules/evaluator";
import { enumNames } from "@/engine/rules/facts";
import { isIncomparable } from "@/engine/rules/held";
import { showValue } from "@/engine/rules/samples";
import { savedTime, savedTimes } from "@/engine/rules/saved";
import { broken, listTests, no, unknown, yes, type Truth, type ValueTest } from "@/engine/rules/truth";

/**
 * Counts are exact up to here, or to just above the rule's own count; the condition is decided correctly beyond it too.
 */
export const countedAtLeast = 65_536;

/** The same for streams, whose state has to be small. */
const streamCountedAtLeast = 100;

/** What a count is multiplied with to compare extents; NaN where none is the more extreme. */
export const direction: Record<CountOperator, number> = { gt: 1, gte: 1, lt: -1, lte: -1, eq: NaN, neq: NaN };

interface FrequencyOptions {
  operator: CountOperator;
  count: number;
  window: bigint;
  /** First instant of the recording. */
  start: bigint;
}

const savedFrequency = z.object({
  expiries: savedTimes,
  judgedFrom: savedTime,
  /** Null once it has passed. */
  fullWindow: savedTime.nullable(),
});

/**
 * Counts messages in the sliding window (t − window, t], at every arrival and every expiry. Where a count of zero meets
 * the condition, only windows fully inside the recording are evaluated: its first second is not a drop in rate.
 */
class FrequencySignal implements MessageSignal, Streamed {
  private expiries: bigint[] = [];
  private head = 0;
  private capacity: number;
  private judgedFrom: bigint;
  /** Instants to evaluate at besides expiries: the latest arrival, and the first full window. */
  private arrival = never;
  private fullWindow = never;

  constructor(
    private readonly options: FrequencyOptions,
    private readonly tracker: EpisodeTracker,
  ) {
    this.capacity = Math.max(countedAtLeast, options.count + 2);
    this.judgedFrom = this.firstJudged(options.start);
    if (this.judgedFrom !== options.start) this.fullWindow = this.judgedFrom;
  }

  /** The first instant that is evaluated of messages from `start` on. */
  private firstJudged(start: bigint): bigint {
    const { operator, count, window } = this.options;
    return compareNumbers[operator](0, count) ? start + window : start;
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

  load(saved: unknown, since: bigint): void {
    this.capacity = Math.max(streamCountedAtLeast, this.options.count + 2);
    const state = saved === null ? null : savedFrequency.decode(saved as z.input<typeof savedFrequency>);
    this.expiries = state?.expiries ?? [];
    this.head = 0;
    this.arrival = never;
    this.judgedFrom = state?.judgedFrom ?? this.firstJudged(since);
    this.fullWindow = (state ? state.fullWindow : since + this.options.window) ?? never;
  }

  save(): unknown {
    const { judgedFrom } = this;
    const fullWindow = this.fullWindow === never ? null : this.fullWindow;
    return savedFrequency.encode({ expiries: this.expiries.slice(this.head), judgedFrom, fullWindow });
  }

  settle(now: bigint): void {
    this.judgeUntil(now + 1n);
  }

  get nextAt(): bigint {
    const expiry = this.expiries[this.head] ?? never;
    return expiry < this.fullWindow ? expiry : this.fullWindow;
  }

  // Messages from before the stream began are not counted, so until then nothing is known to be few.
  get truth(): Truth {
    if (this.tracker.running) return yes;
    return this.fullWindow === never ? no : unknown;
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

const savedFiltered = z.object({ counted: z.unknown() }).nullable();

/** Counts only the messages whose field meets a condition. */
class FilteredFrequency implements SampleSignal, Streamed {
  incomparable = 0;
  /** A stream begins with the first value that can be compared, because nothing else says that it has the field. */
  private begins = false;

  constructor(
    private readonly test: ValueTest,
    private readonly frequency: FrequencySignal,
  ) {}

  sample(time: bigint, value: unknown): void {
    const truth = this.test.judge(value);
    if (this.begins && truth !== unknown && !(truth === broken && isIncomparable(value))) {
      this.begins = false;
      this.frequency.load(null, time);
    }
    if (truth === yes) this.frequency.message(time);
    else if (truth === broken && isIncomparable(value)) this.incomparable++;
  }

  // Gaps need no handling: counted messages expire with the window.
  gap(): void {}

  load(saved: unknown): void {
    const state = saved === null ? null : savedFiltered.parse(saved);
    this.begins = state === null;
    this.frequency.load(state?.counted ?? null, never);
  }

  save(): unknown {
    return this.begins ? null : { counted: this.frequency.save() };
  }

  settle(now: bigint): void {
    if (!this.begins) this.frequency.settle(now);
  }

  get nextAt(): bigint {
    return this.begins ? never : this.frequency.nextAt;
  }

  get truth(): Truth {
    return this.begins ? unknown : this.frequency.truth;
  }

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
