import type { JsonValue } from "@/domain/conditions/evidence";
import { toNumber } from "@/domain/conditions/number";
import { copyText } from "@/engine/bytes";
import { isList } from "@/engine/rules/list";

export interface Sample {
  /** Position in the topic's values of this field, from 0. */
  index: number;
  time: bigint;
  value: unknown;
}

const maxTextLength = 256;
const maxElements = 8;
const ringSize = 16;
const samplesAround = 10;
const sparseSize = 4096;

/** A decoded value in a form that evidence can keep: bounded, JSON-safe, times as seconds. */
export function jsonValue(value: unknown): JsonValue {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "bigint":
      return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);
    case "string":
      return value.length > maxTextLength ? `${copyText(value.slice(0, maxTextLength))}…` : value;
    case "boolean":
      return value;
    case "object": {
      if (value === null) return null;
      if (isList(value))
        return Array.from({ length: Math.min(value.length, maxElements) }, (_, at) => jsonValue(value[at]));
      const seconds = toNumber(value);
      return Number.isNaN(seconds) ? null : seconds;
    }
    default:
      return null;
  }
}

/** A decoded value in a form that can be retained: numbers as they are, large ones shortened. */
const toRetained = (value: unknown): unknown =>
  typeof value === "object" || (typeof value === "string" && value.length > maxTextLength) ? jsonValue(value) : value;

/** How evidence shows a value that was retained as it is. */
export const showValue = (retained: unknown): { value: JsonValue } => ({ value: jsonValue(retained) });

/** What every sample of a field is passed to. */
export interface Recorder {
  record(time: bigint, value: unknown): void;
}

/**
 * Retains a field's samples for evidence, in bounded memory: those around each trigger, and a thinned record of all.
 * What it retains depends only on the topic's own messages, so evidence is the same however topics interleave.
 */
export class SampleTrace implements Recorder {
  private count = 0;
  /** The latest times: as they are, or of batches in nanoseconds from `origin`, of which few are ever retained. */
  private readonly times: (bigint | number)[] = new Array<bigint | number>(ringSize).fill(0n);
  private origin = 0n;
  private readonly values: unknown[] = new Array<unknown>(ringSize).fill(0);
  private readonly dense: Sample[] = [];
  private denseFrom = 0;
  private denseLeft = 0;
  /** The thinned record: positions, times and values in arrays of their own, since most are replaced unseen. */
  private readonly sparse = { indices: [] as number[], times: [] as (bigint | number)[], values: [] as unknown[] };
  private stride = 1;
  private untilSparse = 1;

  /** `retain` turns a value into what the trace retains. */
  constructor(
    private readonly denseSize: number,
    private readonly retain: (value: unknown) => unknown = toRetained,
  ) {}

  /** Where marks of a batch of samples are noted while it is evaluated; null while samples come one by one. */
  marks: number[] | null = null;
  /** The sample of the batch at hand. */
  markRow = 0;

  record(time: bigint | number, value: unknown): void {
    const retained = this.retain(value);
    const slot = this.count & (ringSize - 1);
    this.times[slot] = time;
    this.values[slot] = retained;
    if (--this.untilSparse === 0) this.retainSparse(time, retained);
    this.count++;
    if (this.denseLeft > 0) {
      this.denseLeft--;
      this.retainDense();
    }
  }

  /**
   * Records the samples `[0, rows)` of a batch with the marks noted meanwhile: times from `from` on, nanoseconds from
   * `origin`, and values by position, of which only those are asked for that may be retained.
   */
  recordBatch(rows: number, times: Float64Array, from: number, origin: bigint, value: (row: number) => unknown): void {
    this.origin = origin;
    const noted = this.marks ?? [];
    const marks = noted.length < 2 ? noted : [...new Set(noted)].sort((a, b) => a - b);
    this.marks = null;
    let next = 0;
    for (let row = 0; row < rows;) {
      const around = Math.min(marks[next] ?? rows, rows - 1) - samplesAround;
      const ahead = Math.min(this.untilSparse - 1, around - row);
      if (ahead > 0 && this.denseLeft === 0) {
        this.count += ahead;
        this.untilSparse -= ahead;
        row += ahead;
        continue;
      }
      this.record(times[from + row]!, value(row));
      for (; marks[next] === row; next++) this.mark();
      row += 1;
    }
  }

  /** Retains the samples around the latest one. */
  mark(): void {
    if (this.marks !== null) {
      this.marks.push(this.markRow);
      return;
    }
    this.denseLeft = samplesAround;
    this.retainDense();
  }

  private retainDense(): void {
    const first = Math.max(this.denseFrom, this.count - samplesAround - 1, 0);
    for (let index = first; index < this.count && this.dense.length < this.denseSize; index++) {
      const slot = index & (ringSize - 1);
      this.dense.push({ index, time: this.toTime(this.times[slot]!), value: this.values[slot] });
    }
    this.denseFrom = this.count;
  }

  private toTime(time: bigint | number): bigint {
    return typeof time === "number" ? this.origin + BigInt(time) : time;
  }

  private retainSparse(time: bigint | number, value: unknown): void {
    const { indices, times, values } = this.sparse;
    indices.push(this.count);
    times.push(time);
    values.push(value);
    if (indices.length === sparseSize) {
      this.stride *= 2;
      let kept = 0;
      for (let at = 0; at < sparseSize; at++) {
        if (indices[at]! % this.stride !== 0) continue;
        indices[kept] = indices[at]!;
        times[kept] = times[at]!;
        values[kept] = values[at];
        kept += 1;
      }
      indices.length = times.length = values.length = kept;
    }
    this.untilSparse = this.stride - (this.count % this.stride);
  }

  private all(): Sample[] {
    const byIndex = new Map<number, Sample>();
    const { indices, times, values } = this.sparse;
    for (const [at, index] of indices.entries())
      byIndex.set(index, { index, time: this.toTime(times[at]!), value: values[at] });
    for (const sample of this.dense) byIndex.set(sample.index, sample);
    return [...byIndex.values()].sort((a, b) => a.index - b.index);
  }

  private merged: Sample[] | null = null;

  /** Up to `limit` retained samples around an instant, half of them at or before it; only after the last `record`. */
  near(time: bigint, limit: number): Sample[] {
    const samples = (this.merged ??= this.all());
    const after = firstAfter(samples, time);
    const before = Math.ceil(limit / 2);
    return samples.slice(Math.max(0, after - before), after + limit - before);
  }

  /** The last retained sample at or before an instant; only after the last `record`. */
  lastAt(time: bigint): Sample | undefined {
    const samples = (this.merged ??= this.all());
    return samples[firstAfter(samples, time) - 1];
  }
}

/** The position of the first sample later than `time` among samples in order of time. */
function firstAfter(samples: readonly Sample[], time: bigint): number {
  let low = 0;
  let high = samples.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (samples[middle]!.time <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
