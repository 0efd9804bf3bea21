import { z } from "zod";
import type { LeafType, ShownOf } from "@/domain/conditions/schema-registry";
import type { SampleTrace } from "@/engine/rules/samples";
import { savedNumber, savedTime } from "@/engine/rules/saved";

/** A time later than any recording's. */
export const never = 1n << 100n;

type Shown = ShownOf<LeafType>;

/** A span over which one condition held on one topic. Half-open: it no longer holds at `endedAt`. */
export interface Episode {
  topic: string;
  startedAt: bigint;
  triggeredAt: bigint;
  endedAt: bigint;
  /** What was seen at the trigger. */
  seen: Shown;
  /** The sample that ended it; null when silence or the end of the recording did. */
  endedBy: { time: bigint; seen: Shown } | null;
  peak: number | null;
  /** How far `peak` goes in the direction of the condition. */
  extent: number;
  /** Later triggers that the cooldown suppressed. */
  suppressed: number;
}

export interface EpisodeOptions {
  topic: string;
  keepFor: bigint;
  /** Applied here where one topic alone decides a rule, so that a flapping signal needs no memory. */
  cooldown: bigint;
  /** Limit of retained episodes. */
  limit: number;
  /** Samples of the field, of which those around each trigger are retained. */
  samples: SampleTrace | null;
  /** A value that was seen, as evidence shows it. */
  show: (retained: unknown) => Shown;
  /** The condition is on a stream: only the current episode is retained. */
  streamed?: boolean;
}

/** What was seen, which is safe for JSON as it is. */
export const savedShown = z.custom<Shown>((value) => typeof value === "object" && value !== null && "value" in value);

const savedEpisode = z.object({
  startedAt: savedTime,
  triggeredAt: savedTime,
  seen: savedShown,
  endedBy: z.object({ time: savedTime, seen: savedShown }).nullable(),
  peak: savedNumber.nullable(),
  extent: savedNumber,
});
const savedTracker = z.object({
  current: savedEpisode,
  /** Null while the condition holds. */
  lingersUntil: savedTime.nullable(),
});

const episode = (topic: string, startedAt: bigint, triggeredAt: bigint, seen: Shown): Episode => ({
  topic,
  startedAt,
  triggeredAt,
  endedAt: triggeredAt,
  seen,
  endedBy: null,
  peak: null,
  extent: -Infinity,
  suppressed: 0,
});

/**
 * Turns the starts and ends of one condition on one topic into episodes; applies `keep_for` and the limit of memory.
 */
export class EpisodeTracker {
  readonly episodes: Episode[] = [];
  /** The condition holds right now. */
  open = false;
  /** When the limit of episodes was reached; null while it is not. */
  overflowAt: bigint | null = null;
  private current: Episode | null = null;
  private lingersUntil: bigint | null = null;

  /** Values that evidence shows between triggers: the field's own, or what a signal computes from them. */
  private readings: SampleTrace | null;

  constructor(private readonly options: EpisodeOptions) {
    this.readings = options.samples;
  }

  get topic(): string {
    return this.options.topic;
  }

  showReadings(readings: SampleTrace): void {
    this.readings = readings;
  }

  /** The last value known at an instant, as evidence shows it; only after the last sample. */
  seenAt(at: bigint): { time: bigint; seen: Shown } | null {
    const reading = this.readings?.lastAt(at);
    return reading ? { time: reading.time, seen: this.options.show(reading.value) } : null;
  }

  /** Begins an episode, or resumes one that still lingers; calls must come in order of `triggeredAt`. */
  begin(startedAt: bigint, triggeredAt: bigint, value: unknown): void {
    if (this.resume(triggeredAt)) return;
    this.open = true;
    this.current = episode(this.options.topic, startedAt, triggeredAt, this.options.show(value));
    if (this.options.streamed) return;
    const { episodes } = this;
    const last = episodes[episodes.length - 1];
    if (last && triggeredAt < last.triggeredAt + this.options.cooldown) {
      last.suppressed++;
    } else if (episodes.length < this.options.limit) {
      episodes.push(this.current);
      this.options.samples?.mark();
      if (this.readings !== this.options.samples) this.readings?.mark();
    } else {
      this.overflowAt ??= triggeredAt;
    }
  }

  /** An episode that ended may still be resumed. */
  get lingers(): boolean {
    return this.lingersUntil !== null;
  }

  /** Resumes the last episode if it ended less than `keep_for` ago. */
  resume(at: bigint): boolean {
    if (this.lingersUntil === null) return false;
    const until = this.lingersUntil;
    this.lingersUntil = null;
    if (at >= until) {
      this.close(until);
      return false;
    }
    this.open = true;
    return true;
  }

  /** The episode that has begun and cannot be said to have ended. */
  get running(): Episode | null {
    return this.current;
  }

  /** Until when an episode that ended may be resumed; `never` where none may. */
  get nextAt(): bigint {
    return this.lingersUntil ?? never;
  }

  /** Nothing has resumed the last episode up to and including `now`. */
  settle(now: bigint): void {
    if (this.lingersUntil !== null && now >= this.lingersUntil) {
      this.close(this.lingersUntil);
      this.lingersUntil = null;
    }
  }

  /** The state of a stream, safe for JSON. */
  save(): unknown {
    const { current, lingersUntil } = this;
    return current && z.encode(savedTracker, { current, lingersUntil });
  }

  /** Goes on from a saved state, or begins where it is null. Throws a ZodError. */
  load(saved: unknown): void {
    const state = saved === null ? null : z.decode(savedTracker, saved as z.input<typeof savedTracker>);
    this.current = state && { ...state.current, topic: this.topic, endedAt: state.current.triggeredAt, suppressed: 0 };
    this.lingersUntil = state?.lingersUntil ?? null;
    this.open = state !== null && state.lingersUntil === null;
  }

  /** Extent of the current episode's peak; only values beyond it need an `observe`. */
  get extent(): number {
    return this.current === null ? Infinity : this.current.extent;
  }

  /** Records a value of the open episode as its peak if it is the most extreme so far. */
  observe(peak: number, extent: number): void {
    if (this.current === null || !(extent > this.current.extent)) return;
    this.current.peak = peak;
    this.current.extent = extent;
  }

  /** Ends the open episode: the condition stopped holding at `at`. */
  end(at: bigint, value?: unknown): void {
    if (!this.open) return;
    this.open = false;
    if (this.current && value !== undefined) this.current.endedBy = { time: at, seen: this.options.show(value) };
    if (this.options.keepFor === 0n) this.close(at);
    else this.lingersUntil = at + this.options.keepFor;
  }

  /** Closes the open or lingering episode at the end of the recording. */
  finish(end: bigint): void {
    const until = this.lingersUntil;
    if (this.open) this.close(end);
    else if (until !== null) this.close(until < end ? until : end);
    this.lingersUntil = null;
  }

  private close(at: bigint): void {
    this.open = false;
    if (this.current) this.current.endedAt = at;
    this.current = null;
  }
}
