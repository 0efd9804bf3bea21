import { toNumber } from "@/domain/conditions/number";
import type { EpisodeTracker } from "@/engine/rules/episodes";
import { keptValue } from "@/engine/rules/samples";
import { broken, unknown, yes, type ListTest, type ValueTest } from "@/engine/rules/truth";

/**
 * One condition on the samples of one field of one topic. Samples come in order of time, and are never missing values.
 */
export interface SampleSignal {
  readonly tracker: EpisodeTracker;
  /** Samples of a kind that the condition cannot be asked of, such as text for `gt`. */
  readonly incomparable: number;
  sample(time: bigint, value: unknown): void;
  /** The topic was silent for too long: what held is known only up to this instant. */
  gap(at: bigint): void;
  finish(end: bigint): void;
}

export const isIncomparable = (value: unknown): boolean =>
  typeof value === "object" && Array.isArray(value)
    ? !value.some((element) => typeof element === "number")
    : typeof value !== "number";

/** Threshold and pattern: holds from the first true sample, and qualifies once it has held for `window` nanoseconds. */
export class HeldSignal implements SampleSignal {
  incomparable = 0;
  private since: bigint | null = null;
  private due = 0n;
  private pendingPeak = NaN;
  private pendingExtent = -Infinity;

  constructor(
    private readonly test: ListTest,
    private readonly window: bigint,
    private readonly recover: ValueTest | null,
    readonly tracker: EpisodeTracker,
  ) {}

  sample(time: bigint, value: unknown): void {
    // Beyond what the tracker keeps nothing is looked at any more.
    if (this.tracker.overflowAt !== null) return;
    const truth = this.test.judge(value);
    if (truth === yes) this.holds(time, value);
    else if (truth !== unknown) this.fails(time, value, truth === broken);
  }

  private holds(time: bigint, value: unknown): void {
    const { tracker } = this;
    const extent = this.test.extent(value);
    if (tracker.open || (this.since === null && tracker.resume(time))) {
      if (extent > tracker.extent) tracker.observe(toNumber(this.test.witness(value)), extent);
      return;
    }
    if (this.since === null) {
      this.since = time;
      this.due = time + this.window;
      this.pendingExtent = -Infinity;
    }
    if (extent > this.pendingExtent) {
      this.pendingExtent = extent;
      this.pendingPeak = toNumber(this.test.witness(value));
    }
    if (time < this.due) return;
    tracker.begin(this.since, time, keptValue(this.test.witness(value)));
    tracker.observe(this.pendingPeak, this.pendingExtent);
    this.since = null;
  }

  private fails(time: bigint, value: unknown, isBroken: boolean): void {
    this.since = null;
    if (isBroken && isIncomparable(value)) this.incomparable++;
    if (!this.tracker.open) return;
    if (isBroken || this.recover === null || this.recover.judge(value) === yes)
      this.tracker.lapse(time, keptValue(this.test.witness(value)));
  }

  gap(at: bigint): void {
    this.since = null;
    this.tracker.lapse(at);
  }

  finish(end: bigint): void {
    this.tracker.finish(end);
  }
}
