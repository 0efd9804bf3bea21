import { never } from "@/engine/rules/episodes";
import type { SampleSignal } from "@/engine/rules/evaluator";
import type { FieldReader } from "@/engine/rules/field";
import type { SampleTrace } from "@/engine/rules/samples";

/** One field of one topic: reads it once a message for every condition on it, and tells them of gaps. */
export class FieldStream {
  readonly signals: SampleSignal[] = [];
  /** Messages that carried the field. */
  known = 0;
  /** Why the first message that could not be read could not. */
  unreadable: string | null = null;
  /** Until then the last value holds. */
  private breaksAt = never;

  constructor(
    private readonly read: FieldReader,
    readonly trace: SampleTrace,
  ) {}

  /** `holdsUntil` is the last instant up to which a value of this message would hold without another. */
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
    this.breaksAt = holdsUntil;
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
