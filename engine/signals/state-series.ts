import { copyText, utf8Bytes, utf8Text } from "@/engine/bytes";
import { RecordingError } from "@/engine/formats/recording-error";

export type StateValue = boolean | string | number;

/** A span during which a value stayed the same; `merged` counts the shorter spans merged into it. */
export interface StateRun {
  /** Nanoseconds. */
  timeNs: bigint;
  value: StateValue;
  merged: number;
}

const MAGIC = "MSS1";
const MAX_TEXT = 120;

/**
 * The states of one field (enum, boolean or text) as runs of equal values, at most `share.runs` of them. When there are
 * more changes, those within the same interval are merged into one run, which has the last value and counts the merged
 * ones.
 */
export class StateSeries {
  count = 0;
  private offsets: number[] = [];
  private values: StateValue[] = [];
  private merged: number[] = [];
  private width = 1;
  private last: StateValue | undefined;

  constructor(private readonly share: { runs: number }) {}

  add(offset: number, value: StateValue): void {
    this.count += 1;
    if (value === this.last) return;
    this.last = value;
    const at = this.offsets.length - 1;
    if (at >= 0 && Math.floor(this.offsets[at]! / this.width) === Math.floor(offset / this.width)) {
      this.values[at] = shortened(value);
      this.merged[at] = this.merged[at]! + 1;
      return;
    }
    if (this.offsets.length >= this.share.runs) {
      this.fit(this.share.runs - 1);
      this.last = undefined;
      this.count -= 1;
      this.add(offset, value);
      return;
    }
    this.offsets.push(offset);
    this.values.push(shortened(value));
    this.merged.push(0);
  }

  /** Merges runs until there are no more than `cap`. */
  fit(cap = this.share.runs): void {
    while (this.offsets.length > cap) {
      this.width *= 2;
      const { offsets, values, merged } = this;
      this.offsets = [];
      this.values = [];
      this.merged = [];
      for (const [i, offset] of offsets.entries()) {
        const at = this.offsets.length - 1;
        if (at >= 0 && Math.floor(this.offsets[at]! / this.width) === Math.floor(offset / this.width)) {
          this.values[at] = values[i]!;
          this.merged[at] = this.merged[at]! + merged[i]! + 1;
        } else {
          this.offsets.push(offset);
          this.values.push(values[i]!);
          this.merged.push(merged[i]!);
        }
      }
    }
  }

  /** "MSS1", then JSON: start time as a decimal string, offsets in nanoseconds, values, and merged counts. */
  encode(startTime: bigint): Uint8Array {
    const { offsets, values, merged } = this;
    return utf8Bytes(`${MAGIC}${JSON.stringify({ start: startTime.toString(), offsets, values, merged })}`);
  }
}

/** Long texts are cut. */
function shortened(value: StateValue): StateValue {
  if (typeof value !== "string" || value.length <= MAX_TEXT) return value;
  return copyText(`${value.slice(0, MAX_TEXT - 1)}…`);
}

/** The runs that overlap [from, to] (ns, both included), the one at `from` first. Throws a RecordingError. */
export function readStates(encoded: Uint8Array, window: { from: bigint; to: bigint }): StateRun[] {
  const text = utf8Text(encoded);
  if (!text.startsWith(MAGIC)) throw new RecordingError("These bytes are no states.");
  const parsed = JSON.parse(text.slice(MAGIC.length)) as {
    start: string;
    offsets: number[];
    values: StateValue[];
    merged: number[];
  };
  const start = BigInt(parsed.start);
  const runs = parsed.offsets.map((offset, i) => ({
    timeNs: start + BigInt(offset),
    value: parsed.values[i]!,
    merged: parsed.merged[i]!,
  }));
  const after = runs.findIndex((run) => run.timeNs > window.from);
  const first = Math.max(0, (after === -1 ? runs.length : after) - 1);
  return runs.slice(first).filter((run) => run.timeNs <= window.to);
}
