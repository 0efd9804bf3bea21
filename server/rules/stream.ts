import type { FieldReader } from "@/server/rules/field";
import type { SampleTrace } from "@/server/rules/samples";
import type { SampleSignal } from "@/server/rules/threshold";

/** Later than any instant. */
const never = 1n << 100n;
/** A silence of more than so many median periods of its topic says nothing about what lies in it. */
const gapPeriods = 5n;

/** One field of one topic: reads it once a message for every condition on it, and tells them of gaps. */
export class FieldStream {
  readonly signals: SampleSignal[] = [];
  /** Messages that carried the field. */
  known = 0;
  /** Why the first message that could not be read could not. */
  unreadable: string | null = null;
  private readonly gapLimit: bigint | null;
  private breaksAt = never;

  constructor(
    private readonly read: FieldReader,
    readonly trace: SampleTrace,
    medianPeriodNs: bigint | null,
  ) {
    this.gapLimit = medianPeriodNs === null ? null : medianPeriodNs * gapPeriods;
  }

  message(time: bigint, message: unknown): void {
    let value: unknown;
    try {
      value = this.read(message);
    } catch (error) {
      this.unreadable ??= error instanceof Error ? error.message : String(error);
    }
    const { signals } = this;
    if (time > this.breaksAt) this.gap();
    if (value === undefined) return;
    if (this.gapLimit !== null) this.breaksAt = time + this.gapLimit;
    this.known++;
    this.trace.record(time, value);
    for (let at = 0; at < signals.length; at++) signals[at]!.sample(time, value);
  }

  /** `end` is the instant just after the recording's last. */
  finish(end: bigint): void {
    if (end > this.breaksAt) this.gap();
    for (const signal of this.signals) signal.finish(end);
  }

  private gap(): void {
    for (const signal of this.signals) signal.gap(this.breaksAt);
    this.breaksAt = never;
  }
}
