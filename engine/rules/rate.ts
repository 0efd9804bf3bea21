import { z } from "zod";
import type { JsonValue } from "@/domain/conditions/evidence";
import { toDecimal, toNumber, type Decimal } from "@/domain/conditions/number";
import { durationOrZero, formatSpan } from "@/domain/time/duration";
import { EarlierSamples, type Quantity, type TimedQuantity } from "@/engine/rules/earlier-samples";
import { never, type EpisodeTracker } from "@/engine/rules/episodes";
import type { LeafEvaluator, SampleSignal, Streamed } from "@/engine/rules/evaluator";
import { HeldSignal, type HeldOptions } from "@/engine/rules/held";
import { isList, type List } from "@/engine/rules/list";
import { jsonValue, type Recorder } from "@/engine/rules/samples";
import { listTests, type Truth } from "@/engine/rules/truth";

/** Elements of a list that are evaluated; each has its own earlier samples. */
const maxElements = 4_096;

/** NaN for values that are not numbers. */
const toQuantity = (value: unknown): Quantity =>
  typeof value === "number" ? value : (toDecimal(value) ?? toNumber(value));

const toExactDecimal = (value: Quantity): Decimal | null =>
  typeof value !== "number" ? value : Number.isInteger(value) ? { digits: BigInt(value), scale: 0 } : null;

const quantityToNumber = (value: Quantity): number =>
  typeof value === "number" ? value : Number(value.digits) / 10 ** value.scale;

function difference(later: Quantity, earlier: Quantity): number {
  if (typeof later === "number" && typeof earlier === "number") return later - earlier;
  const [a, b] = [toExactDecimal(later), toExactDecimal(earlier)];
  if (!a || !b) return quantityToNumber(later) - quantityToNumber(earlier);
  const scale = Math.max(a.scale, b.scale);
  const digits = a.digits * 10n ** BigInt(scale - a.scale) - b.digits * 10n ** BigInt(scale - b.scale);
  return quantityToNumber({ digits, scale });
}

/** Change per second between two samples. */
const rateBetween = (earlier: TimedQuantity, later: TimedQuantity): number =>
  (difference(later.value, earlier.value) * 1e9) / Number(later.time - earlier.time);

/** A rate with the samples it lies between; without them where it is NaN because a value is. */
class RateReading {
  constructor(
    readonly rate: number,
    readonly earlier: TimedQuantity | null,
    readonly later: TimedQuantity,
  ) {}
}

interface RateOptions extends Pick<Required<HeldOptions>, "test" | "window" | "recover"> {
  /** Minimum age of the earlier sample relative to the later one, in nanoseconds. */
  over: bigint;
  gapLimit: bigint | null;
  readings: Recorder;
  /** Limit of retained samples; by default that of a recording. */
  retained?: number | undefined;
}

const savedRate = z.object({ held: z.unknown(), history: z.unknown() });

/** Tests the rate of each element of a field; unknown where an element has no earlier sample. */
class RateSignal implements SampleSignal, Streamed {
  incomparable = 0;
  private readonly held: HeldSignal;
  private readonly history: EarlierSamples;
  /** Rates of the latest sample, by element. */
  private readonly rates: (number | undefined)[] = [];
  private readonly pairs: (RateReading | null)[] = [];
  /** How many values of the latest sample are numbers, and how many are not. */
  private numbers = 0;
  private others = 0;
  private truncated = false;

  constructor(
    private readonly options: RateOptions,
    private readonly tracker: EpisodeTracker,
  ) {
    const { test, window, recover, over, gapLimit, retained } = options;
    this.history = new EarlierSamples(over, gapLimit, retained);
    this.held = new HeldSignal({ test, window, recover, toEvidence: (rates) => this.findReading(rates) }, tracker);
  }

  sample(time: bigint, value: unknown): void {
    // The tracker has reached its limit of episodes.
    if (this.tracker.overflowAt !== null) return;
    this.numbers = 0;
    this.others = 0;
    const rates =
      typeof value === "object" && isList(value) ? this.computeRates(time, value) : this.computeRate(0, time, value);
    if (this.others > 0 && this.numbers === 0) this.incomparable++;
    const reading = this.findReading(rates);
    if (reading) this.options.readings.record(time, reading);
    this.held.sample(time, rates);
  }

  private computeRates(time: bigint, values: List): (number | undefined)[] {
    const count = Math.min(values.length, maxElements);
    if (count < values.length) this.truncated = true;
    this.rates.length = count;
    for (let at = 0; at < count; at++) this.rates[at] = this.computeRate(at, time, values[at]);
    return this.rates;
  }

  private computeRate(at: number, time: bigint, value: unknown): number | undefined {
    this.pairs[at] = null;
    if (value === undefined || value === null) return undefined;
    const later = { time, value: toQuantity(value) };
    if (Number.isNaN(later.value)) {
      if (typeof value !== "number") this.others++;
      this.history.reset(at);
      this.pairs[at] = new RateReading(NaN, null, later);
      return NaN;
    }
    this.numbers++;
    const earlier = this.history.add(at, time, later.value);
    if (!earlier) return undefined;
    const rate = rateBetween(earlier, later);
    this.pairs[at] = new RateReading(rate, earlier, later);
    return rate;
  }

  /** The rate of the element that `test.witness` picks. */
  private findReading(rates: unknown): RateReading | null {
    const rate = this.options.test.witness(rates);
    if (rate === undefined) return null;
    const at = Array.isArray(rates) ? rates.findIndex((each) => Object.is(each, rate)) : 0;
    return this.pairs[at] ?? null;
  }

  gap(at: bigint): void {
    this.held.gap(at);
  }

  load(saved: unknown): void {
    const state = saved === null ? { held: null, history: null } : savedRate.parse(saved);
    this.held.load(state.held);
    this.history.load(state.history);
  }

  save(): unknown {
    return { held: this.held.save(), history: this.history.save() };
  }

  settle(): void {}

  readonly nextAt = never;

  get truth(): Truth {
    return this.held.truth;
  }

  finish(end: bigint): void {
    this.held.finish(end);
  }

  notes(): string[] {
    const { topic } = this.tracker;
    const { grain } = this.history;
    return [
      ...(grain > 0n
        ? [`Rates of ${topic} span up to ${formatSpan(grain)} more than \`over\`: too many samples.`]
        : []),
      ...(this.truncated ? [`Only the first ${maxElements} values of each message of ${topic} were looked at.`] : []),
    ];
  }
}

const jsonQuantity = (value: Quantity): JsonValue =>
  jsonValue(typeof value !== "number" && value.scale === 0 ? value.digits : quantityToNumber(value));

const jsonSample = ({ time, value }: TimedQuantity): [string, JsonValue] => [String(time), jsonQuantity(value)];

export const rate: LeafEvaluator<"rate"> = {
  watchesSilence: false,
  watch(condition, { gapLimit, tracker, traceReadings, retained }) {
    const { test, recover } = listTests(condition);
    const window = durationOrZero(condition.window);
    // Without `over`, the sample before is enough, which is at least one nanosecond older.
    const over = condition.over === undefined ? 1n : durationOrZero(condition.over);
    const readings = traceReadings();
    return { samples: new RateSignal({ test, recover, window, over, gapLimit, readings, retained }, tracker) };
  },
  show(retained) {
    if (!(retained instanceof RateReading)) return { value: null };
    const { rate: value, earlier, later } = retained;
    return { value: jsonValue(value), ...(earlier && { earlier: jsonSample(earlier), later: jsonSample(later) }) };
  },
};
