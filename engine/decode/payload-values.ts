import { RecordingError } from "@/engine/formats/recording-error";

/** Nesting of one message; later code walks the decoded value recursively. */
const MAX_DEPTH = 64;
/** Values of one message, its keys included. An empty map takes one byte in a payload and fifty times that in memory. */
const MAX_VALUES = 2_000_000;

/** Follows the nesting of a message without a schema, value by value, and refuses what would take too much memory. */
export class ValueCount {
  /** Of each open list or map: the values still to come, Infinity where only its end says so. */
  private readonly open: number[] = [];
  /** Of each open list or map: whether the next value is a key; null for lists. */
  private readonly keys: (boolean | null)[] = [];
  private values = 0;

  /** Whether everything that was opened has been closed. */
  get closed(): boolean {
    return this.open.length === 0;
  }

  /** Whether the next value is the key of a map. */
  get isKey(): boolean {
    return this.keys.at(-1) === true;
  }

  /** Takes one value; lists and maps are opened with `enter` after it. */
  take(): void {
    this.values += 1;
    if (this.values > MAX_VALUES) throw new RecordingError("A message has too many values.");
    const last = this.open.length - 1;
    if (last < 0) return;
    this.open[last]! -= 1;
    const key = this.keys[last];
    if (typeof key === "boolean") this.keys[last] = !key;
  }

  /** Opens a list of so many values, or a map of so many keys and values; Infinity until `leave`. */
  enter(values: number, map: boolean): void {
    if (this.open.length >= MAX_DEPTH) throw new RecordingError("A message nests too deeply.");
    this.open.push(values);
    this.keys.push(map ? true : null);
  }

  /** Closes what is complete; after each value, and after `enter`. */
  close(): void {
    while (this.open.at(-1) === 0) this.leave();
  }

  /** Closes the list or map opened last. */
  leave(): void {
    this.open.pop();
    this.keys.pop();
  }
}
