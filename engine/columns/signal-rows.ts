import { STRIDE, type Columns, type Slot } from "@/engine/columns/column-batch";
import type { KnownExtremes } from "@/engine/columns/topic-rules";
import { isWholeTime, putNanoseconds } from "@/engine/decode/time-parts";
import type { Channel } from "@/engine/formats/recording";
import type { ColumnBatch } from "@/engine/signals/signal-column";
import type { TopicFeed } from "@/engine/signals/signal-feed";
import { createSignalTypes } from "@/engine/signals/signal-reader";
import type { SignalType } from "@/engine/signals/signal-types";

/** Integers below it are exact as doubles. */
const firstInexact = 2 ** 53;

/** Where the values of a slot are in a batch: in all rows, in none, in those with a number, or unknown. */
type Presence = "all" | "none" | "some" | "unknown";

/** A signal of the topic; `column` is its place in the file, null before it first appeared. */
interface Signal {
  path: string;
  type: SignalType;
  column: number | null;
  /** Where its values are in the batch at hand, and whether all are one number, where that is known. */
  presence: Presence;
  same: boolean | undefined;
}

/** Where the times of a slot and the one behind it are. */
function findTimes(values: Float64Array, at: number, rows: number): Presence {
  let [present, absent] = [0, 0];
  for (let i = at; i < at + rows; i++) {
    if (isWholeTime(values[i]!, values[i + STRIDE]!)) present += 1;
    else if (Number.isNaN(values[i]!)) absent += 1;
  }
  return present === rows ? "all" : absent === rows ? "none" : "some";
}

/** The nanoseconds of the times in a slot and the one behind it. */
function toTimes(values: Float64Array, first: number, rows: number, presence: Presence): ColumnBatch {
  const times = new BigInt64Array(rows);
  const halves = new Int32Array(times.buffer);
  const missing = presence === "all" ? null : new Uint8Array(rows);
  for (let row = 0; row < rows; row++) {
    const [seconds, nanoseconds] = [values[first + row]!, values[first + STRIDE + row]!];
    if (missing === null || isWholeTime(seconds, nanoseconds)) putNanoseconds(halves, row, seconds, nanoseconds);
    else missing[row] = 1;
  }
  return { values: times, first: 0, missing };
}

/** Hands the signals of one topic over as columns, where these hold exactly what was recorded. */
export class SignalRows {
  private readonly types: ReturnType<typeof createSignalTypes>;
  /** By slot; null for what is no signal. */
  private readonly signals: (Signal | null)[] = [];
  private readonly times = new BigInt64Array(STRIDE);
  /** Low and high halves of `times`. */
  private readonly halves = new Uint32Array(this.times.buffer);
  private readonly startLow: number;
  private readonly startHigh: number;

  constructor(
    channel: Channel,
    private readonly slots: readonly Slot[],
    private readonly feed: TopicFeed,
    start: bigint,
  ) {
    this.types = createSignalTypes(channel);
    this.startLow = Number(start & 0xffff_ffffn);
    this.startHigh = Number(start >> 32n);
  }

  /**
   * Takes the rows whose times lie at [from, from + rows) of `times`, nanoseconds from the start of the recording. False
   * when the columns do not say what was recorded; then nothing was taken.
   */
  take(times: Float64Array, from: number, rows: number, columns: Columns, known: KnownExtremes): boolean {
    this.grow(columns);
    const { signals } = this;
    for (let slot = 0; slot < signals.length; slot++) {
      const signal = signals[slot];
      if (signal && !this.look(signal, slot, rows, columns, known)) return false;
    }
    const batches: (ColumnBatch | undefined)[] = [];
    for (let slot = 0; slot < signals.length; slot++) {
      const signal = signals[slot];
      if (!signal || signal.presence === "none") continue;
      signal.column ??= this.feed.column(signal.path, signal.type);
      if (signal.column >= 0) batches[signal.column] = this.toBatch(slot, signal, rows, columns);
    }
    this.setTimes(times, from, rows);
    this.feed.take(this.times, rows, batches);
    return true;
  }

  /** Fields that a schema lists have columns from the start, elements of lists and all others once they appear. */
  private grow({ groups }: Columns): void {
    const { signals, slots } = this;
    for (let slot = signals.length; slot < slots.length; slot++) {
      const { field, group, element } = slots[slot]!;
      const { path } = field;
      const isThere = this.types.listed && (group < 0 || groups[2 * group]! > element);
      const type = this.types.find(field);
      const column = type && isThere ? this.feed.column(path, type) : null;
      signals.push(type && { path, type, column, presence: "none", same: undefined });
    }
  }

  /** Finds where the signal is in a batch; false where that is unknown. */
  private look(signal: Signal, slot: number, rows: number, columns: Columns, known: KnownExtremes): boolean {
    const extremes = known.getExtremes(slot);
    if (extremes !== null && !extremes.broken && extremes.low > -firstInexact && extremes.high < firstInexact) {
      signal.presence = "all";
      signal.same = extremes.low === extremes.high;
      return true;
    }
    const presence = this.findPresence(slot, signal, rows, columns);
    if (presence === "unknown") return false;
    signal.presence = presence;
    signal.same = undefined;
    return true;
  }

  private findPresence(slot: number, { type }: Signal, rows: number, columns: Columns): Presence {
    const { values, groups, nans } = columns;
    const { always, holds, group, element } = this.slots[slot]!;
    const at = slot * STRIDE;
    const isWide = type === "int64" || type === "uint64";
    if (group >= 0 && groups[2 * group]! <= element) return "none";
    if (holds === "time") return findTimes(values, at, rows);
    let absent = 0;
    for (let i = at; i < at + rows; i++) {
      const value = values[i]!;
      if (value !== value) absent += nans?.has(i) === true ? 0 : 1;
      else if (isWide && (value >= firstInexact || value <= -firstInexact)) return "unknown";
    }
    if (absent === 0) return "all";
    const mayBeNaN = holds === "number" && (type === "float64" || type === "float32") && nans === null;
    if (!mayBeNaN) return absent === rows ? "none" : "some";
    if (group < 0) return always ? "all" : "unknown";
    return groups[2 * group + 1]! > element ? "all" : "some";
  }

  /** Whether a row has no value of a slot, where some have none. */
  private lacks(slot: number, row: number, { values, lengths, nans }: Columns): boolean {
    const { group, element } = this.slots[slot]!;
    if (group >= 0) return lengths[group * STRIDE + row]! <= element;
    const at = slot * STRIDE + row;
    return Number.isNaN(values[at]) && nans?.has(at) !== true;
  }

  private toBatch(slot: number, { type, presence, same }: Signal, rows: number, columns: Columns): ColumnBatch {
    const { values, texts } = columns;
    const { field, holds } = this.slots[slot]!;
    const first = slot * STRIDE;
    if (holds === "time") return toTimes(values, first, rows, presence);
    const states = holds === "text" ? texts.lists[slot]! : null;
    if (type !== "enum" && !(type === "bool" && states) && presence === "all")
      return { values, first, missing: null, same };
    const own = values.subarray(first, first + rows);
    const missing =
      presence === "some" ? Uint8Array.from(own, (_, row) => Number(this.lacks(slot, row, columns))) : null;
    if (type === "bool" && states) {
      // A text among booleans says neither.
      const unsaid = Uint8Array.from(own, (value) => (typeof states[value] === "boolean" ? 0 : 1));
      const truths = own.map((value) => Number(states[value] === true));
      return { values: truths, first: 0, missing: unsaid.includes(1) ? unsaid : null };
    }
    if (type !== "enum") return { values, first, missing };
    if (states) return { values, first, missing, texts: states.map(String) };
    const names: string[] = [];
    const positions = new Map<number, number>();
    const placed = own.map((value) => {
      let position = positions.get(value);
      if (position === undefined)
        positions.set(value, (position = names.push(field.enumValues?.[value] ?? String(value)) - 1));
      return position;
    });
    return { values: placed, first: 0, missing, texts: names };
  }

  /** The times since 1970, by halves: making a BigInt for each row would take longer than all else. */
  private setTimes(times: Float64Array, from: number, rows: number): void {
    const { halves, startLow, startHigh } = this;
    for (let row = 0; row < rows; row++) {
      const offset = times[from + row]!;
      const high = Math.floor(offset / 4294967296);
      const low = offset - high * 4294967296 + startLow;
      const carry = low >= 4294967296 ? 1 : 0;
      halves[2 * row] = low - carry * 4294967296;
      halves[2 * row + 1] = startHigh + high + carry;
    }
  }
}
