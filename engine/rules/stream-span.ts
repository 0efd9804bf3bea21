import { z } from "zod";
import type { JsonValue } from "@/domain/conditions/evidence";
import { never } from "@/engine/rules/episodes";
import { savedNumber, savedTime, savedValue } from "@/engine/rules/saved";

/** What holds now in a stream, and what began it. */
export interface Span {
  startedAt: bigint;
  triggeredAt: bigint;
  seen: { value: JsonValue };
  peak: number | null;
  extent: number;
}

export const savedSpan = z.object({
  startedAt: savedTime,
  triggeredAt: savedTime,
  seen: z.object({ value: savedValue }),
  peak: savedNumber.nullable(),
  extent: savedNumber,
});

export const savedExtension = z.object({ span: savedSpan, until: savedTime.nullable() }).nullable();

/** Extends what holds by so many nanoseconds; spans that overlap or touch are one, with the highest peak of them. */
export class Extension {
  span: Span | null = null;
  private until: bigint | null = null;

  constructor(private readonly by: bigint) {}

  /** `span` is what holds at `at`; to be called at every instant at which that changes, and at `nextAt`. */
  update(at: bigint, span: Span | null): void {
    if (span) {
      this.until = null;
      if (this.span === null) this.span = { ...span };
      else if (span.extent > this.span.extent) [this.span.peak, this.span.extent] = [span.peak, span.extent];
    } else if (this.span) {
      this.until ??= at + this.by;
      if (at >= this.until) this.load(null);
    }
  }

  get nextAt(): bigint {
    return this.until ?? never;
  }

  save(): z.output<typeof savedExtension> {
    return this.span && { span: this.span, until: this.until };
  }

  load(saved: z.output<typeof savedExtension>): void {
    this.span = saved?.span ?? null;
    this.until = saved?.until ?? null;
  }
}
