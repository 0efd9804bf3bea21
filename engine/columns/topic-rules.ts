import type { FieldRead } from "@/domain/conditions/kind";
import { formatSteps, otherName, parsePath, PathError, type PathStep } from "@/domain/conditions/path";
import { getKind } from "@/domain/conditions/registry";
import { STRIDE, type Columns, type Placed, type Slot } from "@/engine/columns/column-batch";
import { ColumnFrequency } from "@/engine/columns/column-frequency";
import { ColumnHeld, type SampleBatch } from "@/engine/columns/column-held";
import { createColumnSignal } from "@/engine/columns/column-signals";
import type { Extremes } from "@/engine/columns/pyramid";
import type { MessageDecoder } from "@/engine/decode/decode";
import { AbsenceSignal } from "@/engine/rules/absence";
import { never } from "@/engine/rules/episodes";
import type { EvaluationPlan } from "@/engine/rules/evaluate";
import type { SampleSignal } from "@/engine/rules/evaluator";
import type { LeafNode, TopicFeed } from "@/engine/rules/plan";
import type { FieldStream } from "@/engine/rules/stream";

/** A batch of one topic's messages, in order of time. */
export interface RuleBatch {
  placed: Placed;
  /** Nanoseconds from the start of the recording, at [from, from + rows). */
  times: Float64Array;
  from: number;
  rows: number;
  /** The longest distance between two of the times, where it is known. */
  longest?: number;
  columns: Columns;
  /** Doubles from one column to the next, where these are not `STRIDE`. */
  stride?: number;
  /** What was decoded of each message, undefined where nothing was; null where messages were not decoded. */
  decoded: readonly unknown[] | null;
}

/** The names that members of messages can have, at the top; those that JSON was seen to have. */
export type MemberNames = Pick<ReadonlySet<string>, "has">;

/** Extremes of slots in the batch at hand; null where they are not known. */
export interface KnownExtremes {
  getExtremes: (slot: number) => Extremes | null;
}

/** Feeds columns to the conditions on one topic; a field that no column holds exactly is decoded from the messages. */
export class TopicRules {
  /** The slot of each of the feed's streams, -1 where it has none. */
  private slots: number[] = [];
  /** The member that each stream reads of a message; null where that is not a single one. */
  private readonly heads: (string | null)[];
  private known = 0;
  private readonly leaves: readonly LeafNode[];
  private readonly gapLimit: number;
  /** The last message's time, nanoseconds from the start. */
  private last = 0;

  constructor(
    private readonly feed: TopicFeed,
    plan: EvaluationPlan,
    private readonly fields: readonly Slot[],
    private readonly decoder: MessageDecoder,
    private readonly start: bigint,
    /** Null where any message may have any member. */
    private readonly members: MemberNames | null,
  ) {
    this.leaves = plan.leaves.filter(({ parts }) => parts.some((part) => part.feed === feed));
    this.gapLimit = feed.gapLimit === null ? Infinity : Number(feed.gapLimit);
    this.heads = feed.streams.map((stream) => getHead(stream, this.leaves));
    this.findSlots();
  }

  /** Whether a condition reads fields, not only the times of messages. */
  get readsValues(): boolean {
    return this.feed.streams.length > 0;
  }

  private findSlots(): void {
    this.known = this.fields.length;
    this.slots = this.feed.streams.map((stream) => findSlot(stream, this.leaves, this.fields));
    this.replaceSignals();
  }

  /** Puts evaluators over batches in the places of those over samples, where they give the same results. */
  private replaceSignals(): void {
    const { feed, start } = this;
    for (const { condition, parts } of this.leaves) {
      for (const part of parts) {
        if (part.feed !== feed) continue;
        const { stream, samples, messages, tracker } = part;
        if (messages && feed.seen === 0 && !(messages instanceof ColumnFrequency)) {
          const counted = createColumnSignal(condition, { tracker, trace: null, samples: null, start });
          if (!(counted instanceof ColumnFrequency)) continue;
          feed.clocks[feed.clocks.indexOf(messages)] = counted;
          part.messages = counted;
        }
        // An evaluator that has seen samples stays.
        if (!stream || !samples || samples instanceof ColumnHeld || stream.known > 0) continue;
        const slot = this.fields[this.slots[feed.streams.indexOf(stream)] ?? -1];
        if (slot?.holds !== "number") continue;
        const held = createColumnSignal(condition, { tracker, trace: stream.trace, samples, start });
        if (!(held instanceof ColumnHeld)) continue;
        stream.signals[stream.signals.indexOf(samples)] = held;
        part.samples = held;
      }
    }
  }

  /** Takes messages with the extremes of their columns, as far as these are known; null where there are no columns. */
  take(batch: RuleBatch, pyramid: KnownExtremes | null): void {
    const { feed, start } = this;
    if (this.fields.length > this.known) this.findSlots();
    const { times, from, rows } = batch;
    const last = times[from + rows - 1]!;
    const longest = Math.max(times[from]! - this.last, batch.longest ?? findLongest(times, from, rows));
    for (const clock of feed.clocks) {
      if (clock instanceof ColumnFrequency) clock.batch(times, from, rows);
      else if (clock instanceof AbsenceSignal && longest <= Number(clock.timeout)) clock.advance(start + BigInt(last));
      else for (let i = from; i < from + rows; i++) clock.message(start + BigInt(times[i]!));
    }
    const undecoded: FieldStream[] = [];
    const { decoded } = batch;
    const hasObjects = decoded !== null && decoded.some((message) => message !== undefined);
    for (let at = 0; at < feed.streams.length; at++) {
      const stream = feed.streams[at]!;
      const slot = this.slots[at]!;
      if (slot >= 0 && pyramid && this.takeColumn(stream, slot, batch, pyramid, longest)) continue;
      if (slot < 0 && pyramid && !hasObjects && this.lacks(at)) stream.passWithout(start + BigInt(last));
      else undecoded.push(stream);
    }
    if (undecoded.length > 0) this.decode(undecoded, batch);
    feed.seen += rows;
    feed.last = start + BigInt(last);
    this.last = last;
  }

  /** After messages that were passed to the evaluation one by one. */
  advance(time: number): void {
    this.last = time;
  }

  /** Whether no message has what a stream reads. */
  private lacks(at: number): boolean {
    const head = this.heads[at]!;
    return (
      this.members !== null && head !== null && !this.members.has(head) && !this.members.has(otherName(head) ?? head)
    );
  }

  private holdsUntil(time: bigint): bigint {
    return this.feed.gapLimit === null ? never : time + this.feed.gapLimit;
  }

  /** False when some message may lack the field, which only decoding shows. */
  private takeColumn(
    stream: FieldStream,
    slot: number,
    batch: RuleBatch,
    pyramid: KnownExtremes,
    longest: number,
  ): boolean {
    const { start } = this;
    const { times, from, rows, columns } = batch;
    const { values } = columns;
    const at = slot * (batch.stride ?? STRIDE);
    const field = this.fields[slot]!;
    if (field.long || (field.group >= 0 && columns.groups[2 * field.group + 1]! <= field.element)) return false;
    const extremes = pyramid.getExtremes(slot) ?? findExtremes(values, at, rows);
    if (!field.always && extremes.broken) return false;
    const breaksAt = stream.holdsUntil(start);
    const hasGap = longest > this.gapLimit || times[from]! > breaksAt;
    const samples: SampleBatch = { times, from, rows, values, at, extremes, breaksAt, gapLimit: this.gapLimit, hasGap };
    const { trace } = stream;
    const list = columns.texts.lists[slot];
    const value = (row: number): unknown => {
      const number = values[at + row]!;
      return field.holds === "text" ? list![number] : field.holds === "boolean" ? number !== 0 : number;
    };
    trace.marks = [];
    for (const signal of stream.signals) {
      if (signal instanceof ColumnHeld) signal.batch(samples);
      else this.takeSamples(signal, stream, samples, value);
    }
    trace.recordBatch(rows, times, from, start, value);
    stream.passed(rows, start, times[from + rows - 1]! + this.gapLimit);
    return true;
  }

  private takeSamples(
    signal: SampleSignal,
    { trace }: FieldStream,
    { times, from, rows, gapLimit, breaksAt, hasGap }: SampleBatch,
    value: (row: number) => unknown,
  ): void {
    let until = breaksAt;
    for (let i = 0; i < rows; i++) {
      const offset = times[from + i]!;
      if (hasGap && offset > until) signal.gap(this.start + BigInt(until));
      until = offset + gapLimit;
      trace.markRow = i;
      signal.sample(this.start + BigInt(offset), value(i));
    }
  }

  private decode(streams: readonly FieldStream[], { placed, times, from, rows, decoded }: RuleBatch): void {
    for (let i = from; i < from + rows; i++) {
      const time = this.start + BigInt(times[i]!);
      const message =
        decoded?.[i - from] ?? this.decoder.decode(placed.bytes.subarray(placed.starts[i]!, placed.ends[i]!));
      const holdsUntil = this.holdsUntil(time);
      for (const stream of streams) stream.message(time, message, holdsUntil);
    }
  }
}

/** The slot that holds exactly what a stream reads, -1 where there is none. */
function findSlot(stream: FieldStream, leaves: readonly LeafNode[], fields: readonly Slot[]): number {
  const path = readPath(stream, leaves);
  // Names of numbers are not what conditions compare.
  const isExact = ({ field, holds, long }: Slot): boolean =>
    !long && holds !== "time" && (holds !== "text" || field.kind !== "enum");
  return path === null ? -1 : fields.findIndex((slot) => slot.field.path === path && isExact(slot));
}

/** The paths of the fields that conditions on a topic read; null where one reads more than a single scalar. */
export function listPaths({ feeds, leaves }: EvaluationPlan, topic: string): string[] | null {
  const paths = (feeds.get(topic)?.streams ?? []).map((stream) => readPath(stream, leaves));
  return paths.includes(null) ? null : (paths as string[]);
}

/** The path of the scalar that a stream reads; null where it reads more than one. */
function readPath(stream: FieldStream, leaves: readonly LeafNode[]): string | null {
  const read = findRead(stream, leaves);
  return read === null || read.mode === "count" ? null : formatSteps(read.steps);
}

function getHead(stream: FieldStream, leaves: readonly LeafNode[]): string | null {
  const [first] = findRead(stream, leaves)?.steps ?? [];
  return first?.kind === "key" ? first.key : null;
}

/** What a stream reads of each message; null for a path that cannot be read. */
function findRead(
  stream: FieldStream,
  leaves: readonly LeafNode[],
): { steps: PathStep[]; mode: FieldRead["mode"] } | null {
  for (const { condition, parts } of leaves) {
    const read = getKind(condition).reads(condition);
    if (!read || !parts.some((part) => part.stream === stream)) continue;
    try {
      return { steps: parsePath(read.field, condition.topic), mode: read.mode };
    } catch (error) {
      if (error instanceof PathError) return null;
      throw error;
    }
  }
  return null;
}

function findLongest(times: Float64Array, from: number, rows: number): number {
  let longest = 0;
  for (let i = from + 1; i < from + rows; i++) {
    const gap = times[i]! - times[i - 1]!;
    if (gap > longest) longest = gap;
  }
  return longest;
}

function findExtremes(values: Float64Array, at: number, rows: number): Extremes {
  let low = Infinity;
  let high = -Infinity;
  let broken = false;
  for (let i = at; i < at + rows; i++) {
    const value = values[i]!;
    if (value - value !== 0) broken = true;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { low, high, broken };
}
