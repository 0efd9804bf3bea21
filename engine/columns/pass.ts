import { toDataView } from "@/engine/bytes";
import { canGenerateCode } from "@/engine/code-generation";
import { ChunkRows, Disordered, Unlisted } from "@/engine/columns/chunk-rows";
import { ColumnRoom, type ColumnSink } from "@/engine/columns/column-batch";
import { maxSpanNs } from "@/engine/columns/column-held";
import { PassSignals } from "@/engine/columns/pass-signals";
import { TopicWork, type PassSinks } from "@/engine/columns/topic-work";
import type { ByteSource } from "@/engine/formats/byte-source";
import type { ChunkRef } from "@/engine/formats/indexed-file";
import type { MessageTable, SlotNames } from "@/engine/formats/message-table";
import type { MergedReader } from "@/engine/formats/reader/merged-reader";
import { openRecording } from "@/engine/formats/reader/reader";
import type { RecordingSummary } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { processRecording, timeBudgetMs, type Pass, type ProcessOptions } from "@/engine/pass/pass";
import { TopicReadings, type ChannelReading } from "@/engine/pass/topics";
import type { RuleInput } from "@/engine/rules/evaluate";
import { factsFromSummary } from "@/engine/rules/facts";
import { RuleFeed } from "@/engine/rules/feed";
import { DensityCounts } from "@/engine/signals/density";
import { createSeriesBuilder } from "@/engine/signals/series";
import type { SignalFileInfo, SignalsWriter } from "@/engine/signals/signals-writer";
import { TimeSlicer } from "@/engine/time-slicer";

/** Topics found out of order while reading, after which all are read in the order of the merge. */
const maxRestarts = 3;

export interface ColumnOptions extends ProcessOptions {
  /** Given the columns of each topic. A topic read in the order of the merge is not among them. */
  sinks?: () => readonly ColumnSink[];
  /** Makes the writer of signals: once, and again whenever the recording is read anew from its beginning. */
  signals?: () => SignalsWriter;
  /** Whether functions may be generated; found out by default. */
  generate?: boolean;
  /** Given the numbers of messages read into columns, and those read in the order of the merge. */
  onRead?: (columns: number, merged: number) => void;
}

export interface ColumnPass extends Pass {
  /** The files of signals; null when they were not wanted, or are to be written afterwards (`SignalFeed`). */
  signals: SignalFileInfo[] | null;
}

/**
 * Reads a recording once, like `processRecording` and with the same results, but chunk by chunk into columns of each
 * topic. Topics whose messages are not stored in order are read in the order of the merge into the same sinks; a
 * recording whose index is wrong is read by `processRecording`.
 */
export async function processColumns(
  files: readonly ByteSource[],
  rules: readonly RuleInput[],
  options: ColumnOptions,
): Promise<ColumnPass> {
  const started = performance.now();
  const sizeBytes = files.reduce((sum, file) => sum + file.size, 0);
  const budget = options.limits?.timeBudgetMs ?? timeBudgetMs(sizeBytes);
  const limits = { ...options.limits, timeBudgetMs: budget };
  const reader = await openRecording(files, options.codecs, limits, options.thread);
  options.onProgress?.("indexing", 0);
  const before = await reader.summary();
  options.signal?.throwIfAborted();
  const merged = await reader.findMerged();
  const widths = await reader.bucketWidths();
  const clock = new PassClock(options, started + budget);
  if (Number(before.endTime - before.startTime) * 8 < maxSpanNs) {
    for (let attempt = 0; attempt <= maxRestarts; attempt++) {
      const topics = await TopicReadings.open(before, () => (clock.isOver ? clock.pause("indexing", 1) : undefined));
      const run = new ColumnRun(reader, before, { topics, rules, merged, widths, options, clock });
      try {
        await run.read();
        options.onRead?.(run.done - run.merges, run.merges);
        return { ...(await run.finish()), sizeBytes, durationMs: performance.now() - started };
      } catch (error) {
        if (error instanceof Unlisted) break;
        if (!(error instanceof Disordered)) throw error;
        merged.add(error.topic);
      }
    }
  }
  const pass = await processRecording(files, rules, options);
  options.onRead?.(0, pass.summary.messageCount);
  return { ...pass, signals: null, durationMs: performance.now() - started };
}

/** Gives way between slices of the work, and ends it when its time is over. */
class PassClock extends TimeSlicer {
  constructor(
    private readonly options: ProcessOptions,
    /** By `performance.now()`, but for the time that it gave way for. */
    private readonly deadline: number,
  ) {
    super(options.signal, options.giveWay);
  }

  /** Throws a RecordingError after the deadline. */
  async pause(stage: "indexing" | "reading", done: number): Promise<void> {
    if (performance.now() - this.waitedMs > this.deadline)
      throw new RecordingError("Processing took longer than the time allowed for its size.");
    this.options.onProgress?.(stage, done);
    await this.yield();
  }
}

interface RunParts {
  topics: TopicReadings;
  rules: readonly RuleInput[];
  merged: ReadonlySet<string>;
  widths: (topic: string, cap: number) => number;
  options: ColumnOptions;
  clock: PassClock;
}

/** A channel that is read into columns; its work is planned with its first message. */
interface ColumnTopic {
  reading: ChannelReading;
  rows: ChunkRows;
  work: TopicWork | null;
}

/** One reading of all chunks. */
class ColumnRun {
  private readonly sinks: PassSinks;
  /** By channel id. */
  private readonly topics: (ColumnTopic | undefined)[] = [];
  /** Those with messages in the chunk at hand: a chunk costs nothing for all the others. */
  private readonly filled: ColumnTopic[] = [];
  private readonly bySlot = new Map<SlotNames["channels"], (ColumnTopic | undefined)[]>();
  private readonly apart = new Set<string>();
  private readonly options: ColumnOptions;
  private readonly clock: PassClock;
  /** Messages read, and how many of them in the order of the merge. */
  done = 0;
  merges = 0;

  constructor(
    private readonly reader: MergedReader,
    private readonly before: RecordingSummary,
    { topics, rules, merged, widths, options, clock }: RunParts,
  ) {
    this.options = options;
    this.clock = clock;
    const facts = factsFromSummary(before, (topic) => topics.known(topic));
    const feed = new RuleFeed(rules, facts);
    const { expectedFields } = topics;
    const series = createSeriesBuilder({ startTime: before.startTime, expectedFields, widths });
    const density = new DensityCounts(before.startTime, before.endTime, before.topics.length);
    const generate = options.generate ?? canGenerateCode();
    const columns = options.sinks?.() ?? [];
    const signals = options.signals ? new PassSignals(before, options.signals(), topics) : null;
    const room = new ColumnRoom();
    this.sinks = { topics, feed, series, density, columns, signals, start: before.startTime, generate, room };
    for (const reading of topics.readings) {
      const { id, topic } = reading.channel;
      if (merged.has(topic)) this.apart.add(topic);
      else this.topics[id] = { reading, rows: new ChunkRows(topic), work: null };
    }
  }

  async read(): Promise<void> {
    if (this.topics.length > 0)
      for await (const { table, chunk } of this.reader.chunks()) await this.take(table, chunk);
    if (this.apart.size > 0) await this.readMerged();
  }

  private async take(table: MessageTable, chunk: ChunkRef): Promise<void> {
    this.place(table, chunk);
    this.filled.sort((a, b) => a.reading.channel.id - b.reading.channel.id);
    const { data: bytes } = table;
    const view = toDataView(bytes);
    for (const topic of this.filled) {
      const { rows, reading } = topic;
      topic.work ??= new TopicWork(reading, rows, this.sinks);
      rows.order(bytes);
      const placed = { view, bytes, starts: rows.starts, ends: rows.ends };
      for (let at = 0; at < rows.count;) {
        const next = topic.work.take(placed, at);
        this.done += next - at;
        at = next;
        if (this.clock.isOver) await this.pause();
      }
      rows.count = 0;
    }
    this.filled.length = 0;
    if (this.clock.isOver) await this.pause();
  }

  /** Sorts the messages of a chunk by channel. */
  private place(table: MessageTable, chunk: ChunkRef): void {
    const { topics, apart, filled } = this;
    const least = Number(chunk.startTime - this.before.startTime);
    const { channels } = table.file;
    const { startTime: start, endTime } = this.before;
    const most = Number(endTime - start);
    const high = Number(start >> 32n);
    const low = Number(start & 0xffff_ffffn);
    let bySlot = this.bySlot.get(channels);
    if (bySlot === undefined) {
      bySlot = channels.map((channel) => channel && topics[channel.id]);
      this.bySlot.set(channels, bySlot);
    }
    for (let row = 0; row < table.count; row++) {
      const slot = table.slot(row);
      const topic = bySlot[slot];
      // The merge reads a topic only from chunks whose index names it.
      if (!topic && apart.has(channels[slot]?.topic ?? "") && chunk.slots?.has(slot) !== false) continue;
      const time = table.timeFrom(row, high, low);
      if (!topic || time < least || time > most) throw new Unlisted();
      const { rows } = topic;
      if (rows.count === 0) filled.push(topic);
      const offset = table.offset(row);
      rows.add(offset, offset + table.length(row), time, table.sequence(row));
    }
  }

  private async pause(): Promise<void> {
    const { before, done } = this;
    await this.clock.pause("reading", before.messageCount === 0 ? 1 : Math.min(1, done / before.messageCount));
  }

  /** Topics whose messages are not stored in order, one message after another. */
  private async readMerged(): Promise<void> {
    const { signal } = this.options;
    const { topics, feed, series, density, signals } = this.sinks;
    for await (const batch of this.reader.messages({ topics: this.apart, ...(signal ? { signal } : {}) })) {
      for (const [at, message] of batch.entries()) {
        topics.message(message, series);
        feed.message(message);
        signals?.message(message);
        density.add(message.channel.topic, message.logTime);
        this.done += 1;
        this.merges += 1;
        if (at % 256 === 0 && this.clock.isOver) await this.pause();
      }
    }
  }

  async finish(): Promise<Omit<ColumnPass, "sizeBytes" | "durationMs">> {
    const { topics, feed, series, density } = this.sinks;
    const signals = this.sinks.signals?.finish() ?? null;
    const results = feed.finish();
    const summary = await this.reader.summary();
    const { droppedFields } = series;
    const dropped = droppedFields === 0 ? [] : [`${droppedFields} more fields were left out of the series.`];
    const warnings = [...new Set([...summary.warnings, ...topics.warnings(), ...dropped])];
    return { summary, topics, series, density, results, pack: this.reader.pack(), signals, warnings };
  }
}
