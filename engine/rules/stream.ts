import { never } from "@/engine/rules/episodes";
import type { SampleSignal } from "@/engine/rules/evaluator";
import type { FieldReader } from "@/engine/rules/field";
import type { Recorder, SampleTrace } from "@/engine/rules/samples";

/** One field of one topic: reads it once per message for all conditions on it, and notifies them of gaps. */
export class FieldStream<Trace extends Recorder = SampleTrace> {
  readonly signals: SampleSignal[] = [];
  /** Messages that carried the field. */
  known = 0;
  /** Why the first unreadable message could not be read. */
  unreadable: string | null = null;
  private breaks = never;
  /** Until when the last value of a batch holds, nanoseconds from `origin`; NaN where `breaks` says it. */
  private breaksOffset = NaN;
  private origin = 0n;

  constructor(
    private readonly read: FieldReader,
    readonly trace: Trace,
  ) {}

  /** The last value holds until then. */
  private get breaksAt(): bigint {
    if (this.breaksOffset === this.breaksOffset) {
      this.breaks = this.breaksOffset === Infinity ? never : this.origin + BigInt(this.breaksOffset);
      this.breaksOffset = NaN;
    }
    return this.breaks;
  }

  /** Until when the last value holds, nanoseconds from `origin`; Infinity where always. */
  holdsUntil(origin: bigint): number {
    if (this.breaksOffset === this.breaksOffset && origin === this.origin) return this.breaksOffset;
    return this.breaksAt === never ? Infinity : Number(this.breaksAt - origin);
  }

  /** After a batch of values, of which the last holds until `offset` nanoseconds from `origin`. */
  passed(rows: number, origin: bigint, offset: number): void {
    this.known += rows;
    this.breaksOffset = offset;
    this.origin = origin;
  }

  /** A value of this message holds until `holdsUntil` unless another follows. */
  message(time: bigint, message: unknown, holdsUntil: bigint): void {
    let value: unknown;
    try {
      value = this.read(message);
    } catch (error) {
      this.unreadable ??= error instanceof Error ? error.message : String(error);
    }
    const { signals } = this;
    if (time > this.breaksAt) this.gap();
    if (value === undefined) return;
    this.breaks = holdsUntil;
    this.breaksOffset = NaN;
    this.known++;
    this.trace.record(time, value);
    for (let at = 0; at < signals.length; at++) signals[at]!.sample(time, value);
  }

  /** After messages that do not carry the field, of which the last came at `time`. */
  passWithout(time: bigint): void {
    if (time > this.breaksAt) this.gap();
  }

  /** Until when the last value holds: what a stream saves, and loads with `goOn`. */
  get nextAt(): bigint {
    return this.breaksAt;
  }

  /** Goes on with a value that holds until `breaks`. */
  goOn(breaks: bigint): void {
    this.breaks = breaks;
    this.breaksOffset = NaN;
  }

  /** No value has come up to and including `now`. */
  settle(now: bigint): void {
    if (now >= this.breaksAt) this.gap();
  }

  /** `end` is the instant just after the recording's last. */
  finish(end: bigint): void {
    if (end > this.breaksAt) this.gap();
    for (const signal of this.signals) signal.finish(end);
  }

  private gap(): void {
    for (const signal of this.signals) signal.gap(this.breaksAt);
    this.breaks = never;
    this.breaksOffset = NaN;
  }
}
