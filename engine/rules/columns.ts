import { unreadable } from "@/engine/rules/feed";
import { getKey } from "@/engine/rules/field";
import { covers } from "@/engine/rules/leaves";
import { isList } from "@/engine/rules/list";

const maxDepth = 32;

/** One part of a topic's messages, one entry per message; a column of numbers only is a typed array. */
interface Column {
  keys: readonly string[];
  numbers: Float64Array | null;
  values: unknown[] | null;
}

/** The parts of one topic's messages that some conditions read, in order of time; previews replay them. */
export class TopicSamples {
  constructor(
    private readonly times: BigInt64Array,
    private readonly columns: readonly Column[],
    /** Messages that could not be decoded, by position, with the reason. */
    private readonly broken: ReadonlyMap<number, string>,
    /** Approximate memory use. */
    readonly bytes: number,
  ) {}

  get count(): number {
    return this.times.length;
  }

  /** Key paths of the parts. */
  get reads(): string[][] {
    return this.columns.map((column) => [...column.keys]);
  }

  /** Whether these samples include the parts at those key paths. */
  covers(reads: readonly string[][]): boolean {
    return covers(this.reads, reads);
  }

  /** Visits the messages `[from, to)`; a value is only valid during the call. */
  replay(from: number, to: number, visit: (time: bigint, value: unknown) => void): void {
    const [first, ...others] = this.columns;
    const { times, broken } = this;
    if (first === undefined || broken.size > 0 || others.length > 0 || first.numbers === null) {
      for (let at = from; at < to; at++) visit(times[at]!, this.message(at));
      return;
    }
    // The usual case is one number per message; a single reused object serves them all.
    const { root, leaf, key } = skeleton(first.keys);
    const { numbers } = first;
    for (let at = from; at < to; at++) {
      leaf[key] = numbers[at];
      visit(times[at]!, root);
    }
  }

  private message(at: number): unknown {
    const reason = this.broken.get(at);
    if (reason !== undefined) return unreadable(reason);
    if (this.columns.length === 0) return undefined;
    const message: Record<string, unknown> = {};
    for (const { keys, numbers, values } of this.columns) {
      const value = numbers ? numbers[at] : values?.[at];
      if (keys.length === 0) return value;
      place(message, keys, value);
    }
    return message;
  }
}

function skeleton(keys: readonly string[]): { root: unknown; leaf: Record<string, unknown>; key: string } {
  // A number cannot be a complete message, so there is at least one key.
  const root: Record<string, unknown> = {};
  place(root, keys, undefined);
  let leaf = root;
  for (const key of keys.slice(0, -1)) leaf = leaf[key] as Record<string, unknown>;
  return { root, leaf, key: keys[keys.length - 1] ?? "" };
}

function place(message: Record<string, unknown>, keys: readonly string[], value: unknown): void {
  let at = message;
  for (const [index, key] of keys.entries()) {
    if (index === keys.length - 1) at[key] = value;
    else at = (at[key] ??= {}) as Record<string, unknown>;
  }
}

/** Gathers the samples of one topic. */
export class SampleCollector {
  private times = new BigInt64Array(1_024);
  private count = 0;
  private readonly columns: GrowingColumn[];
  private readonly broken = new Map<number, string>();
  private bytes = 0;

  constructor(readonly reads: readonly string[][]) {
    this.columns = reads.map((keys) => new GrowingColumn(keys));
  }

  /** Approximate bytes retained so far. */
  get size(): number {
    return this.bytes;
  }

  add(time: bigint, message: unknown): void {
    if (this.count === this.times.length) {
      const larger = new BigInt64Array(this.count * 2);
      larger.set(this.times);
      this.times = larger;
    }
    this.times[this.count] = time;
    this.bytes += 8;
    try {
      for (const column of this.columns) this.bytes += column.add(this.count, message);
    } catch (error) {
      // Only a message that could not be decoded throws when it is read.
      this.broken.set(this.count, error instanceof Error ? error.message : String(error));
      for (const column of this.columns) column.skip(this.count);
      this.bytes += 100;
    }
    this.count++;
  }

  finish(): TopicSamples {
    const columns = this.columns.map((column) => column.finish(this.count));
    return new TopicSamples(this.times.slice(0, this.count), columns, this.broken, this.bytes);
  }
}

class GrowingColumn {
  private numbers: Float64Array | null = new Float64Array(1_024);
  private values: unknown[] | null = null;
  private lastText = "";

  constructor(private readonly keys: readonly string[]) {}

  /** Retains the message's part for this column; returns the approximate bytes it takes. */
  add(at: number, message: unknown): number {
    let value = message;
    for (const key of this.keys) {
      if (typeof value !== "object" || value === null || isList(value)) {
        value = undefined;
        break;
      }
      value = value instanceof Map ? value.get(key) : getKey(value, key);
    }
    if (this.numbers && typeof value === "number") {
      if (at === this.numbers.length) {
        const larger = new Float64Array(at * 2);
        larger.set(this.numbers);
        this.numbers = larger;
      }
      this.numbers[at] = value;
      return 8;
    }
    if (typeof value === "string") {
      // States often repeat for minutes, so equal texts are shared.
      if (value === this.lastText) value = this.lastText;
      else this.lastText = value;
    }
    const { copy, bytes } = copyValue(value);
    this.anything(at)[at] = copy;
    return bytes;
  }

  skip(at: number): void {
    this.anything(at)[at] = undefined;
  }

  private anything(at: number): unknown[] {
    if (this.values === null) {
      this.values = Array.from(this.numbers?.subarray(0, at) ?? []);
      this.numbers = null;
    }
    return this.values;
  }

  finish(count: number): Column {
    return { keys: this.keys, numbers: this.numbers?.slice(0, count) ?? null, values: this.values };
  }
}

/** A value that outlives its batch: decoded lists are views of the file's bytes. */
function copyValue(value: unknown, depth = 0): { copy: unknown; bytes: number } {
  switch (typeof value) {
    case "string":
      return { copy: value, bytes: 8 + value.length };
    case "bigint":
      return { copy: value, bytes: 32 };
    case "object":
      break;
    default:
      return { copy: value, bytes: 8 };
  }
  if (value === null || depth > maxDepth) return { copy: null, bytes: 8 };
  if (ArrayBuffer.isView(value)) {
    if (value instanceof DataView) return { copy: null, bytes: 8 };
    return { copy: (value as Uint8Array).slice(), bytes: 120 + value.byteLength };
  }
  let bytes = 64;
  const below = (inner: unknown): unknown => {
    const copied = copyValue(inner, depth + 1);
    bytes += copied.bytes;
    return copied.copy;
  };
  if (Array.isArray(value)) return { copy: value.map(below), bytes };
  if (value instanceof Map)
    return { copy: new Map([...value].map(([key, inner]) => [key, below(inner)] as const)), bytes };
  const copy: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) copy[key] = below(inner);
  return { copy, bytes };
}
