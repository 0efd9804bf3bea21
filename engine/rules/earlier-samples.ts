import { z } from "zod";
import type { Decimal } from "@/domain/conditions/number";
import { savedNumber, savedTime, savedTimes } from "@/engine/rules/saved";

/** A number in a form that can be subtracted exactly: float64 as it is, anything else by its decimals. */
export type Quantity = number | Decimal;

export interface TimedQuantity {
  time: bigint;
  value: Quantity;
}

const savedQuantity = z.union([
  savedNumber,
  z.codec(z.tuple([z.string().regex(/^-?\d+$/), z.int()]), z.object({ digits: z.bigint(), scale: z.int() }), {
    decode: ([digits, scale]) => ({ digits: BigInt(digits), scale }),
    encode: ({ digits, scale }): [string, number] => [String(digits), scale],
  }),
]);

const savedSamples = z
  .object({ grain: savedTime, latest: savedTime, times: savedTimes, values: z.array(savedQuantity) })
  .refine(({ times, values }) => times.length === values.length);

/** Samples of one element, oldest first; those before `head` are no longer needed. */
interface Element {
  times: bigint[];
  values: Quantity[];
  head: number;
  /** Time of its latest sample, retained or not. */
  latest: bigint;
}

/** Limit of retained samples over all elements. */
const maxRetained = 262_144;
const compactFrom = 32;

/**
 * For each element of a field the samples that a later one may be compared with: those younger than `over`, and the
 * newest that is older. Beyond the limit, only samples at least `grain` apart are retained, so an earlier sample may be
 * older than necessary by up to `grain`.
 */
export class EarlierSamples {
  /** Minimum nanoseconds between retained samples; 0 while all of them are retained. */
  grain = 0n;
  private readonly elements: Element[] = [];
  private retained = 0;

  constructor(
    private readonly over: bigint,
    private readonly gapLimit: bigint | null,
    private readonly limit = maxRetained,
  ) {}

  get size(): number {
    return this.retained;
  }

  /**
   * Adds a sample of an element, in order of time, and returns the newest one at least `over` older than it; null
   * where there is none since the last gap.
   */
  add(at: number, time: bigint, value: Quantity): TimedQuantity | null {
    const element = (this.elements[at] ??= { times: [], values: [], head: 0, latest: time });
    if (this.gapLimit !== null && time - element.latest > this.gapLimit) this.drop(element);
    element.latest = time;
    const earlier = this.earlier(element, time - this.over);
    const { times, values } = element;
    const last = times[times.length - 1];
    if (last === time) values[values.length - 1] = value;
    else if (last === undefined || time - last >= this.grain) {
      times.push(time);
      values.push(value);
      if (++this.retained > this.limit) this.thin();
    }
    return earlier;
  }

  /** The samples of the first element, which is all that a stream has, safe for JSON; null where there is none. */
  save(): unknown {
    const [element] = this.elements;
    if (!element) return null;
    const { times, values, head, latest } = element;
    return savedSamples.encode({ grain: this.grain, latest, times: times.slice(head), values: values.slice(head) });
  }

  /** Goes on with saved samples, or with none where it is null. Throws a ZodError. */
  load(saved: unknown): void {
    const state = saved === null ? null : savedSamples.decode(saved as z.input<typeof savedSamples>);
    this.grain = state?.grain ?? 0n;
    this.retained = state?.times.length ?? 0;
    this.elements.length = 0;
    if (state) this.elements.push({ times: state.times, values: state.values, head: 0, latest: state.latest });
  }

  /** Drops the samples of an element, because later ones must not be compared with them. */
  reset(at: number): void {
    const element = this.elements[at];
    if (element) this.drop(element);
  }

  private drop(element: Element): void {
    this.retained -= element.times.length - element.head;
    element.times = [];
    element.values = [];
    element.head = 0;
  }

  private earlier(element: Element, before: bigint): TimedQuantity | null {
    const { times, values } = element;
    let { head } = element;
    while (head + 1 < times.length && times[head + 1]! <= before) head++;
    this.retained -= head - element.head;
    element.head = head;
    const time = times[head];
    if (time === undefined || time > before) return null;
    const earlier = { time, value: values[head]! };
    if (head >= compactFrom && head * 2 >= times.length) {
      times.splice(0, head);
      values.splice(0, head);
      element.head = 0;
    }
    return earlier;
  }

  // Leaves half of the limit free, so that it is not reached again unless elements are added.
  private thin(): void {
    const each = Math.max(2, Math.floor(this.limit / 2 / this.elements.length));
    this.grain = this.over / BigInt(each);
    this.retained = 0;
    this.elements.forEach((element) => {
      const { times, values, head } = element;
      element.times = [];
      element.values = [];
      element.head = 0;
      for (let at = head; at < times.length; at++) {
        const last = element.times[element.times.length - 1];
        if (last !== undefined && times[at]! - last < this.grain) continue;
        element.times.push(times[at]!);
        element.values.push(values[at]!);
      }
      this.retained += element.times.length;
    });
  }
}
