import type { FieldReader } from "@/engine/decode/field-reader";
import { NumberSeries, type SeriesFigures } from "@/engine/signals/number-series";
import { encodeSeries } from "@/engine/signals/series-encoding";
import { SeriesMemory } from "@/engine/signals/series-memory";
import { StateSeries } from "@/engine/signals/state-series";

export { readSeries, type SeriesPoint } from "@/engine/signals/series-encoding";
export { readStates, type StateRun } from "@/engine/signals/state-series";

/** Buckets of all numeric fields together, 48 bytes each: about 70 MB. */
const BUCKETS = 1_500_000;
const MAX_BUCKETS = 16_384;
const MIN_BUCKETS = 128;
/** Runs of all other fields together, about 300 bytes each at worst. */
const RUNS = 64_000;
const MAX_RUNS = 2048;
const MIN_RUNS = 32;
const MAX_FIELDS = 10_000;

export interface SeriesOptions {
  /** Time zero of every series, nanoseconds: no later than the first message. */
  startTime: bigint;
  /** Number of fields known beforehand, which avoids repeated coarsening as more appear. */
  expectedFields?: number;
  /**
   * The least width, nanoseconds and a power of two, of which the samples of a topic need no more than `cap` buckets:
   * they begin with it.
   */
  widths?: (topic: string, cap: number) => number;
  /** Overrides the budgets, for tests. */
  buckets?: number;
  runs?: number;
}

interface SeriesResult extends SeriesFigures {
  topic: string;
  field: string;
  kind: "number" | "state";
  /** For `readSeries` or `readStates`, by kind. */
  data: Uint8Array;
}

/** Makes a series of up to `share.buckets` buckets that are `width` nanoseconds wide at first. */
type CreateSeries = (share: { buckets: number }, width: number) => NumberSeries;

export interface SeriesBuilder {
  /** Nanoseconds from the start of the series, as the number that `add` takes: once per message, not per field. */
  offset(logTime: bigint): number;
  /**
   * The series of a field, made on first use, by `create` where that is given; null when there are too many fields
   * already.
   */
  numbers(topic: string, field: string, create?: CreateSeries): NumberSeries | null;
  states(topic: string, field: string): StateSeries | null;
  /** All series, encoded one after another; the builder cannot be used afterwards. */
  finish(): IterableIterator<SeriesResult>;
  /** How many fields were left out because there were too many. */
  readonly droppedFields: number;
}

/**
 * Builds the series of a recording in one pass. Every sample has its own bucket until a field has more than its share
 * of buckets; then its buckets become twice as wide, as often as needed. The shares shrink as more fields are opened,
 * so that memory is bounded for any recording.
 */
export function createSeriesBuilder(options: SeriesOptions): SeriesBuilder {
  return new Builder(options);
}

class Builder implements SeriesBuilder {
  droppedFields = 0;
  private readonly numeric = new Map<string, Entry<NumberSeries>>();
  private readonly stateful = new Map<string, Entry<StateSeries>>();
  /** What a field may hold now, and what it could when all fields were last reduced. */
  private readonly share = { buckets: MAX_BUCKETS, runs: MAX_RUNS };
  private readonly fitted = { buckets: MAX_BUCKETS, runs: MAX_RUNS };

  constructor(private readonly options: SeriesOptions) {}

  offset(logTime: bigint): number {
    return Math.max(0, Number(logTime - this.options.startTime));
  }

  numbers(
    topic: string,
    field: string,
    create: CreateSeries = (share, width) => new NumberSeries(share, width),
  ): NumberSeries | null {
    const { buckets = BUCKETS, expectedFields = 0, widths } = this.options;
    return this.open(this.numeric, topic, field, () => {
      const fair = Math.floor(buckets / Math.max(this.numeric.size + 1, expectedFields));
      this.share.buckets = boundShare(fair);
      if (this.share.buckets < this.fitted.buckets * 0.8) {
        for (const other of this.numeric.values()) other.series.fit();
        this.fitted.buckets = this.share.buckets;
      }
      // What is expected alone, so that a topic's fields begin with the same.
      const cap = boundShare(Math.floor(buckets / Math.max(1, expectedFields)));
      return create(this.share, widths?.(topic, cap) ?? 1);
    });
  }

  states(topic: string, field: string): StateSeries | null {
    return this.open(this.stateful, topic, field, () => {
      const fair = Math.floor((this.options.runs ?? RUNS) / (this.stateful.size + 1));
      this.share.runs = Math.max(MIN_RUNS, Math.min(MAX_RUNS, fair));
      if (this.share.runs < this.fitted.runs * 0.8) {
        for (const other of this.stateful.values()) other.series.fit();
        this.fitted.runs = this.share.runs;
      }
      return new StateSeries(this.share);
    });
  }

  private open<T>(entries: Map<string, Entry<T>>, topic: string, field: string, make: () => T): T | null {
    const key = `${topic}\n${field}`;
    const known = entries.get(key);
    if (known !== undefined) return known.series;
    if (this.numeric.size + this.stateful.size >= MAX_FIELDS) {
      this.droppedFields += 1;
      return null;
    }
    const series = make();
    entries.set(key, { topic, field, series });
    return series;
  }

  *finish(): IterableIterator<SeriesResult> {
    const { startTime } = this.options;
    const memory = new SeriesMemory();
    for (const [key, { topic, field, series }] of this.numeric) {
      this.numeric.delete(key);
      series.fit();
      memory.reset();
      const buckets = series.getBuckets(memory);
      const figures = series.summarize(buckets, memory);
      const data = encodeSeries(buckets, startTime, memory);
      series.release();
      yield { topic, field, kind: "number", ...figures, data };
    }
    for (const [key, { topic, field, series }] of this.stateful) {
      this.stateful.delete(key);
      series.fit();
      yield { topic, field, kind: "state", count: series.count, ...noNumbers, data: series.encode(startTime) };
    }
  }
}

const boundShare = (buckets: number): number => Math.max(MIN_BUCKETS, Math.min(MAX_BUCKETS, buckets));

const noNumbers = { min: null, max: null, p50: null, p99: null, last: null };

interface Entry<T> {
  topic: string;
  field: string;
  series: T;
}

/**
 * Adds what a field reader has read from one message of one channel to the builder, creating series as values appear.
 * Call it after `reader.read` with `builder.offset(logTime)`.
 */
export function createSeriesFeed(builder: SeriesBuilder, topic: string, reader: FieldReader): (offset: number) => void {
  const numberSlots: number[] = [];
  const numbers: (NumberSeries | null | undefined)[] = [];
  const stateSlots: number[] = [];
  const states: (StateSeries | null | undefined)[] = [];
  let known = 0;
  return (offset) => {
    const { fields, values, states: texts } = reader;
    for (; known < fields.length; known++) {
      const { kind } = fields[known]!;
      if (kind !== "time") (kind === "number" ? numberSlots : stateSlots).push(known);
    }
    for (let i = 0; i < numberSlots.length; i++) {
      const slot = numberSlots[i]!;
      const value = values[slot]!;
      if (Number.isNaN(value)) continue;
      let series = numbers[i];
      if (series === undefined) series = numbers[i] = builder.numbers(topic, fields[slot]!.path);
      if (series !== null) series.add(offset, value);
    }
    for (let i = 0; i < stateSlots.length; i++) {
      const slot = stateSlots[i]!;
      const value = texts[slot];
      if (value === undefined) continue;
      let series = states[i];
      if (series === undefined) series = states[i] = builder.states(topic, fields[slot]!.path);
      if (series !== null) series.add(offset, value);
    }
  };
}
