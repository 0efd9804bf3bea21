import { Texts, type Columns, type Slot } from "@/engine/columns/column-batch";
import type { Extremes } from "@/engine/columns/pyramid";
import { TopicRules } from "@/engine/columns/topic-rules";
import { KeptLists } from "@/engine/decode/kept-lists";
import type { Evaluation } from "@/engine/rules/evaluate";
import type { NumberColumn } from "@/engine/signals/signal-file-reader";

/** Rows of a batch: here nothing is extracted, and what each batch costs by itself counts. */
const ROWS = 4_096;

/** A field of a stored topic, with its extremes in each batch of rows. */
interface StoredField {
  values: NumberColumn;
  lows: Float64Array;
  highs: Float64Array;
  broken: Uint8Array;
}

/** The longest distance between two times of each batch of rows. */
function findLongest(times: Float64Array): Float64Array {
  const longest = new Float64Array(Math.ceil(times.length / ROWS));
  for (let batch = 0; batch < longest.length; batch++) {
    const end = Math.min(times.length, (batch + 1) * ROWS);
    let before = times[batch * ROWS]!;
    let most = 0;
    for (let row = batch * ROWS + 1; row < end; row++) {
      const time = times[row]!;
      if (time - before > most) most = time - before;
      before = time;
    }
    longest[batch] = most;
  }
  return longest;
}

function toField(values: NumberColumn): StoredField {
  const batches = Math.ceil(values.length / ROWS);
  const field = {
    values,
    lows: new Float64Array(batches),
    highs: new Float64Array(batches),
    broken: new Uint8Array(batches),
  };
  for (let batch = 0; batch < batches; batch++) {
    let [low, high, broken] = [Infinity, -Infinity, 0];
    const end = Math.min(values.length, (batch + 1) * ROWS);
    for (let row = batch * ROWS; row < end; row++) {
      const value = values[row]!;
      if (value - value !== 0) broken = 1;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    field.lows[batch] = low;
    field.highs[batch] = high;
    field.broken[batch] = broken;
  }
  return field;
}

/**
 * Columns of one topic of a processed recording, kept in memory: rules are evaluated over them again and again without
 * its files.
 */
export class StoredTopic {
  private constructor(
    private readonly times: Float64Array,
    private readonly longest: Float64Array,
    private readonly fields: ReadonlyMap<string, StoredField>,
  ) {}

  /** `times`: nanoseconds from the start of the recording, in order; columns by path, each with as many rows. */
  static create(times: Float64Array, columns: ReadonlyMap<string, NumberColumn>): StoredTopic {
    return new StoredTopic(times, findLongest(times), new Map()).with(columns);
  }

  /** The same with more columns. */
  with(columns: ReadonlyMap<string, NumberColumn>): StoredTopic {
    const more = [...columns].map(([path, values]) => [path, toField(values)] as const);
    return new StoredTopic(this.times, this.longest, new Map([...this.fields, ...more]));
  }

  get bytes(): number {
    let bytes = this.times.byteLength + this.longest.byteLength;
    for (const { values, lows } of this.fields.values()) bytes += values.byteLength + 2 * lows.byteLength + lows.length;
    return bytes;
  }

  /** Those of the paths that it has no column of. */
  lacks(paths: readonly string[]): string[] {
    return paths.filter((path) => !this.fields.has(path));
  }

  /** Gives the conditions of an evaluation on this topic all rows; awaits `pause` after each few. */
  async feed(
    evaluation: Evaluation,
    topic: string,
    paths: readonly string[],
    start: bigint,
    pause: () => Promise<void> | null,
  ): Promise<void> {
    const feed = evaluation.plan.feeds.get(topic);
    if (!feed) return;
    const fields = [...new Set(paths)].map((path) => ({ path, field: this.fields.get(path)! }));
    const slots = fields.map(({ path, field: { values } }): Slot => {
      const holds = values instanceof Uint8Array ? "boolean" : "number";
      return { field: { path, kind: holds }, holds, long: false, always: true, group: -1, element: 0 };
    });
    const columns: Columns = {
      values: new Float64Array(slots.length * ROWS),
      nans: null,
      texts: new Texts(slots),
      groups: new Int32Array(0),
      lengths: new Uint8Array(0),
      lists: new KeptLists(0),
    };
    const rules = new TopicRules(feed, evaluation.plan, slots, noMessages, start, null);
    const { times, longest } = this;
    let batch = 0;
    const getExtremes = (slot: number): Extremes => {
      const { lows, highs, broken } = fields[slot]!.field;
      return { low: lows[batch]!, high: highs[batch]!, broken: broken[batch] === 1 };
    };
    for (; batch < longest.length; batch++) {
      const from = batch * ROWS;
      const rows = Math.min(ROWS, times.length - from);
      for (let slot = 0; slot < fields.length; slot++)
        columns.values.set(fields[slot]!.field.values.subarray(from, from + rows), slot * ROWS);
      rules.take(
        { placed: noPlaces, times, from, rows, longest: longest[batch]!, columns, stride: ROWS, decoded: null },
        { getExtremes },
      );
      const paused = pause();
      if (paused) await paused;
    }
  }
}

/** Stored columns hold every value that is read from them. */
const noMessages = {
  decode(): never {
    throw new Error("no messages are stored");
  },
};
const noPlaces = {
  view: new DataView(new ArrayBuffer(0)),
  bytes: new Uint8Array(0),
  starts: new Int32Array(0),
  ends: new Int32Array(0),
};
