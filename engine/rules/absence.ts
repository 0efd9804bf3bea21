import { z } from "zod";
import { durationOrZero, formatSpan } from "@/domain/time/duration";
import { never, type EpisodeTracker } from "@/engine/rules/episodes";
import type { LeafEvaluator, MessageSignal, Streamed } from "@/engine/rules/evaluator";
import { showValue } from "@/engine/rules/samples";
import { savedTime } from "@/engine/rules/saved";
import { no, unknown, yes, type Truth } from "@/engine/rules/truth";

const seconds = (ns: bigint): number => Number(ns) / 1e9;

const savedAbsence = z.object({ last: savedTime, seen: z.boolean() });

/** Triggers after `timeout` nanoseconds without a message, counted from the recording's start before the first one. */
export class AbsenceSignal implements MessageSignal, Streamed {
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

  load(saved: unknown, since: bigint): void {
    const state = saved === null ? null : savedAbsence.decode(saved as z.input<typeof savedAbsence>);
    this.last = state?.last ?? since;
    this.seen = state?.seen ?? false;
  }

  save(): unknown {
    return savedAbsence.encode({ last: this.last, seen: this.seen });
  }

  settle(now: bigint): void {
    if (now >= this.nextAt) this.begin(this.last + this.timeout);
  }

  get nextAt(): bigint {
    return this.tracker.open ? never : this.last + this.timeout;
  }

  get truth(): Truth {
    return this.tracker.running ? yes : this.seen ? no : unknown;
  }

  notes(): string[] {
    return this.silentTail === null
      ? []
      : [`Recording ends early: ${this.tracker.topic} was silent for its last ${formatSpan(this.silentTail)}.`];
  }

  private begin(until: bigint): void {
    const silence = seconds(until - this.last);
    if (!this.tracker.open) this.tracker.begin(this.last, this.last + this.timeout, seconds(this.timeout));
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
