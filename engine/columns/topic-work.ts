import { Unlisted, type ChunkRows } from "@/engine/columns/chunk-rows";
import {
  emptyColumns,
  makeColumns,
  ROWS,
  STRIDE,
  type ColumnRoom,
  type ColumnSink,
  type Columns,
  type Placed,
  type Slot,
} from "@/engine/columns/column-batch";
import { JsonShapes } from "@/engine/columns/json-shape";
import type { PassSignals } from "@/engine/columns/pass-signals";
import { planExtract, type ColumnPlan } from "@/engine/columns/plan";
import { TopicPyramid } from "@/engine/columns/pyramid";
import type { SignalRows } from "@/engine/columns/signal-rows";
import type { ChannelReading, TopicReadings } from "@/engine/columns/topic-readings";
import { TopicRules, type MemberNames } from "@/engine/columns/topic-rules";
import { UnpackedRows } from "@/engine/columns/unpacked-rows";
import type { FieldReader } from "@/engine/decode/field-reader";
import { KeptLists } from "@/engine/decode/kept-lists";
import { getPayloadType } from "@/engine/decode/payload-type";
import type { RawMessage } from "@/engine/formats/recording";
import type { RuleFeed } from "@/engine/rules/feed";
import type { DensityCounts } from "@/engine/signals/density";
import type { SeriesBuilder } from "@/engine/signals/series";

/** Bytes of the messages whose objects are kept for the rules of one batch. */
const maxDecodedBytes = 512 * 1024;

/** What the topics of a recording are added to. */
export interface PassSinks {
  topics: TopicReadings;
  feed: RuleFeed;
  series: SeriesBuilder;
  density: DensityCounts;
  /** Given every batch of columns too. */
  columns: readonly ColumnSink[];
  signals: PassSignals | null;
  /** First instant of the recording, nanoseconds. */
  start: bigint;
  /** Whether functions may be generated; else layouts are interpreted. */
  generate: boolean;
  room: ColumnRoom;
}

/** Takes the messages of one topic that is stored in order, chunk by chunk, and adds them to the sinks in batches. */
export class TopicWork {
  private readonly plan: ColumnPlan | null;
  private readonly lists: KeptLists;
  /** For each list, its first slot, how many slots an element takes, and how many elements have slots. */
  private readonly listed: { slot: number; stride: number; count: number }[] = [];
  private readonly slots: readonly Slot[];
  private readonly appeared: Slot[] = [];
  private readonly columns: Columns;
  private readonly pyramid: TopicPyramid;
  private readonly rules: TopicRules | null;
  private signals: SignalRows | null | undefined;
  /** Of messages that were read one by one: the times of those in `columns`, and what was decoded of all. */
  private readonly pendingTimes: Float64Array;
  private pending = 0;
  private readonly decoded: unknown[] = [];
  /** For JSON. */
  private readonly shapes: JsonShapes | null;
  private readonly unpacked: UnpackedRows | null;

  /** `rows`: the topic's messages in the chunk at hand. */
  constructor(
    private readonly reading: ChannelReading,
    readonly rows: ChunkRows,
    private readonly sinks: PassSinks,
  ) {
    const { channel, reader } = reading;
    const { feed, series, start, generate, room } = sinks;
    this.unpacked = channel.unpack ? new UnpackedRows(channel.unpack) : null;
    this.lists = reader?.lists ?? new KeptLists(0);
    this.plan = reader ? planExtract(channel, generate) : null;
    // Only what is read one by one has fields that appear later.
    this.slots = this.plan?.slots ?? this.appeared;
    for (const [slot, { group, element }] of this.slots.entries()) {
      if (group < 0) continue;
      const listed = (this.listed[group] ??= { slot, stride: 0, count: 0 });
      if (element === 0) listed.stride += 1;
      listed.count = element + 1;
    }
    this.shapes = reader && getPayloadType(channel).kind === "json" ? new JsonShapes(this.slots) : null;
    this.columns = makeColumns(this.slots, room, this.lists);
    this.pendingTimes = new Float64Array(this.plan === null ? ROWS : 0);
    // Objects are known to have a field or not.
    if (this.plan === null && reader?.objects) this.columns.nans = new Set();
    this.pyramid = new TopicPyramid(channel.topic, this.slots, series);
    const watched = feed.evaluation.plan.feeds.get(channel.topic);
    const wants = feed.evaluation.wants(channel.topic) !== "none";
    this.rules =
      watched && wants
        ? new TopicRules(watched, feed.evaluation.plan, this.slots, feed.decoder(channel), start, this.getMembers())
        : null;
    if (this.plan === null && this.rules?.readsValues) reader?.objects?.keep(feed.members(channel.topic));
  }

  get topic(): string {
    return this.reading.channel.topic;
  }

  private getMembers(): MemberNames | null {
    if (this.shapes) return this.shapes.members;
    const payload = this.plan && getPayloadType(this.reading.channel);
    if (payload?.kind !== "struct" && payload?.kind !== "protobuf") return null;
    return new Set(payload.type.fields.map(({ name }: { name: string }) => name));
  }

  /** Takes the chunk's messages from `from` on, one batch of them; returns the first that was not taken. */
  take(placed: Placed, from: number): number {
    const { rows } = this;
    this.columns.values = this.sinks.room.fit(this.slots.length);
    const to = Math.min(rows.count, from + ROWS);
    const unpacked = this.unpacked?.take(placed, from, to);
    return unpacked ? this.takePlaced(unpacked.placed, from, unpacked.to) : this.takePlaced(placed, from, to);
  }

  private takePlaced(placed: Placed, from: number, to: number): number {
    const { plan } = this;
    if (plan === null) return this.takeRead(placed, from, to);
    // The first message says which lists are kept.
    if (this.lists.lengths.length > 0 && !this.lists.decided) return this.takeSingle(placed, from);
    const { groups } = this.columns;
    for (let at = 0; at < groups.length; at += 2) {
      groups[at] = 0;
      groups[at + 1] = 0x7fff_ffff;
    }
    const read = plan.extract(placed, from, to, this.columns);
    if (read > from) {
      this.reading.read += read - from;
      this.add(placed, from, read - from);
    }
    return read === to ? to : this.takeSingle(placed, read);
  }

  private add(placed: Placed, from: number, rows: number): void {
    const { times } = this.rows;
    this.sinks.density.addMany(this.topic, times, from, from + rows);
    this.addColumns(times, from, rows);
    if (this.sinks.signals) this.addSignals({ placed, from, to: from + rows }, times, from, rows);
    this.rules?.take({ placed, times, from, rows, columns: this.columns, decoded: null }, this.pyramid);
    this.trim();
  }

  private addColumns(times: Float64Array, from: number, rows: number): void {
    this.emptyLists(rows);
    this.pyramid.take(times, from, rows, this.columns);
    for (const sink of this.sinks.columns) sink.take(this.topic, this.slots, times, from, rows, this.columns);
  }

  /** Adds what was read of messages [from, to) to their signals: `rows` of the columns, or else one by one. */
  private addSignals(
    { placed, from, to }: { placed: Placed; from: number; to: number },
    times: Float64Array,
    first: number,
    rows: number,
  ): void {
    const { signals } = this.sinks;
    if (signals === null) return;
    if (this.signals === undefined) this.signals = signals.open(this.reading.channel, this.slots);
    if (this.signals?.take(times, first, rows, this.columns, this.pyramid)) return;
    for (let at = from; at < to; at++) signals.message(this.getMessage(placed, at));
  }

  private getMessage({ bytes, starts, ends }: Placed, at: number): RawMessage {
    const logTime = this.sinks.start + BigInt(this.rows.times[at]!);
    const data = bytes.subarray(starts[at]!, ends[at]!);
    return { channel: this.reading.channel, data, logTime, publishTime: logTime, sequence: 0 };
  }

  private trim(): void {
    for (let slot = 0; slot < this.slots.length; slot++)
      if (this.columns.texts.trim(slot)) this.pyramid.forgetState(slot);
  }

  /** A message that its layout does not fit: what can be read of it is found out as for any other encoding. */
  private takeSingle(placed: Placed, at: number): number {
    const { topics, feed, density, signals } = this.sinks;
    const { times } = this.rows;
    const message = this.getMessage(placed, at);
    density.addMany(this.topic, times, at, at + 1);
    const reader = topics.read(this.reading, message.data);
    if (reader !== null && this.plan?.exact) throw new Unlisted();
    if (reader !== null) {
      this.columns.groups.fill(0);
      this.columns.lengths.fill(0);
      this.fill(reader, 0);
      this.addColumns(times, at, 1);
    }
    feed.message(message);
    signals?.message(message);
    this.rules?.advance(times[at]!);
    this.trim();
    return at + 1;
  }

  /** Messages of an encoding without columns of its own: read one by one into columns. */
  private takeRead(placed: Placed, from: number, to: number): number {
    const { density } = this.sinks;
    const { decoded } = this;
    const { times } = this.rows;
    let at = from;
    for (let bytes = 0; at < to && bytes < maxDecodedBytes; at++) {
      bytes += placed.ends[at]! - placed.starts[at]!;
      if (this.readRow(placed, at)) this.pendingTimes[this.pending++] = times[at]!;
    }
    const rows = at - from;
    density.addMany(this.topic, times, from, at);
    if (this.pending > 0) this.addColumns(this.pendingTimes, 0, this.pending);
    if (this.sinks.signals) this.addSignals({ placed, from, to: at }, this.pendingTimes, 0, this.pending);
    // Where a message could not be read, rows of columns and of messages differ.
    const complete = this.pending === rows;
    this.pending = 0;
    this.rules?.take({ placed, times, from, rows, columns: this.columns, decoded }, complete ? this.pyramid : null);
    decoded.length = 0;
    this.columns.nans?.clear();
    this.trim();
    return at;
  }

  /** Reads a message into the next row of the columns; false when it cannot be decoded. */
  private readRow(placed: Placed, at: number): boolean {
    const { shapes, reading, pending, decoded } = this;
    const { bytes, starts, ends } = placed;
    const [from, to] = [starts[at]!, ends[at]!];
    if (shapes?.read(placed, at, pending, this.columns)) {
      reading.read += 1;
      decoded.push(undefined);
      return true;
    }
    const reader = this.sinks.topics.read(reading, bytes.subarray(from, to));
    decoded.push(reader?.objects?.decoded);
    if (reader === null) return false;
    this.fill(reader, pending);
    if (shapes && reader.objects) shapes.learn(bytes, from, to, reader.objects);
    return true;
  }

  /** Copies what a reader has read into a row of the columns. */
  private fill(reader: FieldReader, row: number): void {
    const { fields, values, states, objects } = reader;
    while (this.plan === null && this.slots.length < fields.length) this.addSlot(fields[this.slots.length]!);
    const { columns, slots, lists } = this;
    for (let slot = 0; slot < slots.length; slot++) {
      const { holds, field, group, element } = slots[slot]!;
      if (group >= 0 && element >= lists.last(group)) continue;
      if (group >= 0) {
        columns.groups.fill(element + 1, 2 * group, 2 * group + 2);
        columns.lengths[group * STRIDE + row] = element + 1;
      }
      if (objects?.wide[slot] !== undefined || objects?.texts[slot]) slots[slot]!.long = true;
      const state = states[slot];
      let value = NaN;
      if (holds === "time" || (holds === "number" && (field.kind === "number" || this.plan !== null)))
        value = values[slot]!;
      else if (state !== undefined) value = holds === "boolean" ? Number(state) : columns.texts.number(slot, state);
      const place = slot * STRIDE + row;
      columns.values[place] = value;
      if (value === value || columns.nans === null) continue;
      if (holds === "number" && objects?.has(slot) === true) columns.nans.add(place);
      else columns.nans.delete(place);
    }
  }

  /** Empties the columns of elements that had values before, and have none in a batch: its room held another topic. */
  private emptyLists(rows: number): void {
    const { values, groups } = this.columns;
    const { longest } = this.lists;
    for (const [group, { slot, stride, count }] of this.listed.entries()) {
      const length = groups[2 * group]!;
      if (length > longest[group]!) longest[group] = length;
      emptyColumns(values, slot + length * stride, slot + Math.min(count, longest[group]!) * stride, rows);
    }
  }

  /** A field that appeared in the data; the rows before have no value of it. */
  private addSlot(field: Slot["field"]): void {
    const holds = field.kind === "number" || field.kind === "time" ? field.kind : "text";
    this.appeared.push({ field, holds, long: false, always: false, group: -1, element: 0 });
    const { columns, slots } = this;
    if (holds === "text") columns.texts.open(slots.length - 1);
    columns.values = this.sinks.room.fit(slots.length);
    columns.values.fill(NaN, (slots.length - 1) * STRIDE, slots.length * STRIDE);
  }
}
