import { z } from "zod";
import { toNumber } from "@/domain/conditions/number";
import { never, type EpisodeTracker } from "@/engine/rules/episodes";
import type { SampleSignal, Streamed } from "@/engine/rules/evaluator";
import { savedNumber, savedTime } from "@/engine/rules/saved";
import { broken, no, unknown, yes, type ListTest, type Truth, type ValueTest } from "@/engine/rules/truth";

export const isIncomparable = (value: unknown): boolean =>
  typeof value === "object" && Array.isArray(value)
    ? !value.some((element) => typeof element === "number")
    : typeof value !== "number";

export interface HeldOptions {
  test: ListTest;
  /** Nanoseconds that it has to hold for; 0 to qualify at the first true sample. */
  window?: bigint;
  /** What ends an episode; null where the first sample that fails the test does. */
  recover?: ValueTest | null;
  /** What is retained of a sample for evidence; by default the value that `test.witness` picks. */
  toEvidence?: (value: unknown) => unknown;
}

const savedHeld = z.object({
  pending: z.object({ since: savedTime, due: savedTime, peak: savedNumber, extent: savedNumber }).nullable(),
  known: z.literal([no, unknown]),
});

/** A test of samples: holds from the first true one, and qualifies once it has held for `window`. */
export class HeldSignal implements SampleSignal, Streamed {
  incomparable = 0;
  private since: bigint | null = null;
  private due = 0n;
  private pendingPeak = NaN;
  private pendingExtent = -Infinity;
  /** What is known while no episode is open. */
  private known: typeof no | typeof unknown = unknown;

  private readonly test: ListTest;
  private readonly window: bigint;
  private readonly recover: ValueTest | null;
  private readonly toEvidence: (value: unknown) => unknown;

  constructor(
    { test, window = 0n, recover = null, toEvidence }: HeldOptions,
    private readonly tracker: EpisodeTracker,
  ) {
    this.test = test;
    this.window = window;
    this.recover = recover;
    this.toEvidence = toEvidence ?? ((value) => test.witness(value));
  }

  sample(time: bigint, value: unknown): void {
    // The tracker has reached its limit of episodes.
    if (this.tracker.overflowAt !== null) return;
    const truth = this.test.judge(value);
    if (truth === yes) this.holds(time, value);
    else if (truth !== unknown) this.fails(time, value, truth === broken);
  }

  /** Goes on from what another evaluator of the same condition has seen hold since `since`, to qualify at `due`. */
  resume(since: bigint, due: bigint, peak: number, extent: number): void {
    [this.since, this.due, this.pendingPeak, this.pendingExtent] = [since, due, peak, extent];
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
    tracker.begin(this.since, time, this.toEvidence(value));
    tracker.observe(this.pendingPeak, this.pendingExtent);
    this.since = null;
  }

  private fails(time: bigint, value: unknown, isBroken: boolean): void {
    this.since = null;
    if (isBroken && isIncomparable(value)) this.incomparable++;
    this.known = isBroken ? unknown : no;
    if (!this.tracker.open) {
      if (this.recover !== null && this.known === no && this.recover.judge(value) !== yes) this.known = unknown;
      return;
    }
    if (isBroken || this.recover === null || this.recover.judge(value) === yes)
      this.tracker.end(time, this.toEvidence(value));
  }

  gap(at: bigint): void {
    this.since = null;
    this.known = unknown;
    this.tracker.end(at);
  }

  load(saved: unknown): void {
    const state = saved === null ? null : savedHeld.decode(saved as z.input<typeof savedHeld>);
    this.known = state?.known ?? unknown;
    const pending = state?.pending ?? { since: null, due: 0n, peak: NaN, extent: -Infinity };
    ({ since: this.since, due: this.due, peak: this.pendingPeak, extent: this.pendingExtent } = pending);
  }

  save(): unknown {
    const { since, due, pendingPeak: peak, pendingExtent: extent, known } = this;
    return savedHeld.encode({ pending: since === null ? null : { since, due, peak, extent }, known });
  }

  // Only samples and gaps decide anything here.
  settle(): void {}

  readonly nextAt = never;

  get truth(): Truth {
    if (this.tracker.running) return yes;
    return this.since === null ? this.known : unknown;
  }

  finish(end: bigint): void {
    this.tracker.finish(end);
  }

  notes(): string[] {
    return [];
  }
}
