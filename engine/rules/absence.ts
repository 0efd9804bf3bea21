import { durationOrZero, formatSpan } from "@/domain/time/duration";
import type { EpisodeTracker } from "@/engine/rules/episodes";
import type { LeafEvaluator, MessageSignal } from "@/engine/rules/evaluator";
import { showValue } from "@/engine/rules/samples";

const seconds = (ns: bigint): number => Number(ns) / 1e9;

/** Triggers after `timeout` nanoseconds without a message, counted from the recording's start before the first one. */
export class AbsenceSignal implements MessageSignal {
  /** How long the topic had been silent when a truncated recording broke off; null when it does not matter. */
  private silentTail: bigint | null = null;
  private last: bigint;
  private seen = false;

  constructor(
    readonly timeout: bigint,
    start: bigint,
    private readonly truncated: boolean,
    private readonly tracker: EpisodeTracker,
  ) {
    this.last = start;
  }

  message(time: bigint): void {
    if (time - this.last > this.timeout) {
      this.begin(time);
      this.tracker.end(time, 0);
    }
    this.last = time;
    this.seen = true;
  }

  /** Takes messages up to `time`, none of which comes too late. */
  advance(time: bigint): void {
    this.last = time;
    this.seen = true;
  }

  /** `end` is the instant just after the recording's last. */
  finish(end: bigint): void {
    const lastInstant = end - 1n;
    if (lastInstant - this.last >= this.timeout) {
      // The missing end of a truncated file may have held messages of this topic.
      if (this.truncated && this.seen) this.silentTail = lastInstant - this.last;
      else this.begin(lastInstant);
    }
    this.tracker.finish(end);
  }

  notes(): string[] {
    return this.silentTail === null
      ? []
      : [`Recording ends early: ${this.tracker.topic} was silent for its last ${formatSpan(this.silentTail)}.`];
  }

  private begin(until: bigint): void {
    const silence = seconds(until - this.last);
    this.tracker.begin(this.last, this.last + this.timeout, seconds(this.timeout));
    this.tracker.observe(silence, silence);
  }
}

export const absence: LeafEvaluator<"absence"> = {
  watchesSilence: true,
  watch({ timeout }, { recording, tracker }) {
    const { startTime, truncated } = recording;
    return { messages: new AbsenceSignal(durationOrZero(timeout), startTime, truncated, tracker) };
  },
  show: showValue,
};
