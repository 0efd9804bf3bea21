import { toDataView } from "@/engine/bytes";
import { canGenerateCode } from "@/engine/code-generation";
import { ChunkRows, Disordered, Unlisted } from "@/engine/columns/chunk-rows";
import { ColumnRoom, type ColumnSink } from "@/engine/columns/column-batch";
import { maxSpanNs } from "@/engine/columns/column-held";
import { PassSignals } from "@/engine/columns/pass-signals";
import { TopicReadings, type ChannelReading } from "@/engine/columns/topic-readings";
import { TopicWork, type PassSinks } from "@/engine/columns/topic-work";
import type { ByteSource } from "@/engine/formats/byte-source";
import type { Codecs } from "@/engine/formats/codecs/codecs";
import type { ChunkRef } from "@/engine/formats/indexed-file";
import type { ReaderLimits } from "@/engine/formats/limits";
import type { UnpackThread } from "@/engine/formats/mcap/chunk-job";
import type { MessageTable, SlotNames } from "@/engine/formats/message-table";
import type { MergedReader } from "@/engine/formats/reader/merged-reader";
import { openRecording } from "@/engine/formats/reader/reader";
import type { RecordingSummary } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import type { RuleInput, RuleResult } from "@/engine/rules/evaluate";
import { factsFromSummary } from "@/engine/rules/facts";
import { RuleFeed } from "@/engine/rules/feed";
import { DensityCounts } from "@/engine/signals/density";
import { createSeriesBuilder, type SeriesBuilder } from "@/engine/signals/series";
import type { SignalFileInfo, SignalsWriter } from "@/engine/signals/signals-writer";
import { TimeSlicer } from "@/engine/time-slicer";

/** Topics found out of order while reading, after which all are read in the order of the merge. */
const maxRestarts = 3;

/** Time limit for processing a recording, in milliseconds; grows with its size. */
export const timeBudgetMs = (bytes: number): number => 50_000 + (bytes / 1e6) * 500;

export interface ProcessOptions {
  codecs: Codecs;
  /** Unpacks chunks beside the processing. */
  thread?: UnpackThread;
  /** Stops the processing with the signal's reason. */
  signal?: AbortSignal;
  /** Called often, with the stage and its progress (0 to 1). */
  onProgress?: (stage: "indexing" | "reading", done: number) => void;
  limits?: ReaderLimits;
  /** Awaited between slices of the work; no time of processing. */
  giveWay?: () => Promise<void>;
}

/** The result of reading a recording's messages once. */
export interface Pass {
  /** As known after the last message. */
  summary: RecordingSummary;
  sizeBytes: number;
  topics: TopicReadings;
  /** All series, not yet encoded. */
  series: SeriesBuilder;
  /** Messages of each topic over time. */
  density: DensityCounts;
  results: RuleResult[];
  /** Where its chunks lie and what they hold (`openPacked`). */
  pack: Uint8Array;
  warnings: string[];
  durationMs: number;
}

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
 * Reads a recording once: the index first, then chunk by chunk into columns of each topic, which series and rules look
 * at. Topics whose messages are not stored in order are read in the order of the merge into the same sinks, and so is
 * every topic of a recording whose index is wrong. Yields to the process every few milliseconds. Throws a RecordingError
 * for a recording that cannot be processed at all, or not within the time limit for its size.
 */
export async function processColumns(
  files: readonly ByteSource[],
  rules: readonly RuleInput[],
  options: ColumnOptions,
): Promise<ColumnPass> {
  const started = performance.now();
  const sizeBytes = files.reduce((sum, file) => sum + file.size, 0);
  const budget = options.limits?.timeBudgetMs ?? timeBudgetMs(sizeBytes);
  const open = async (thread?: UnpackThread) => {
    const reader = await openRecording(files, options.codecs, { ...options.limits, timeBudgetMs: budget }, thread);
    options.onProgress?.("indexing", 0);
    const before = await reader.summary();
    options.signal?.throwIfAborted();
    const clock = new PassClock(options, performance.now() + budget);
    return { reader, before, clock, widths: await reader.bucketWidths() };
  };
  /** `merged` names the topics that are read in the order of the merge; null stands for all of them. */
  const read = async ({ reader, before, clock, widths }: Opened, merged: ReadonlySet<string> | null) => {
    const topics = await TopicReadings.open(before, () => (clock.isOver ? clock.pause("indexing", 1) : undefined));
    const run = new ColumnRun(reader, before, { topics, rules, merged, widths, options, clock });
    await run.read();
    options.onRead?.(run.done - run.merges, run.merges);
    return { ...(await run.finish()), sizeBytes, durationMs: performance.now() - started };
  };
  const opened = await open(options.thread);
  const merged = await opened.reader.findMerged();
  if (Number(opened.before.endTime - opened.before.startTime) * 8 < maxSpanNs) {
    for (let attempt = 0; attempt <= maxRestarts; attempt++) {
      try {
        return await read(opened, merged);
      } catch (error) {
        if (error instanceof Unlisted) break;
        if (!(error instanceof Disordered)) throw error;
        merged.add(error.topic);
      }
    }
  }
  return read(await open(), null);
}

interface Opened {
  reader: MergedReader;
  before: RecordingSummary;
  clock: PassClock;
  widths: (topic: string, cap: number) => number;
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
  /** Topics that are read in the order of the merge; null when all are. */
  merged: ReadonlySet<string> | null;
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
  private readonly isMerged: boolean;

  constructor(
    private readonly reader: MergedReader,
    private readonly before: RecordingSummary,
    { topics, rules, merged, widths, options, clock }: RunParts,
  ) {
    this.options = options;
    this.clock = clock;
    this.isMerged = merged === null;
    const facts = factsFromSummary(before, (topic) => topics.known(topic));
    const feed = new RuleFeed(rules, facts);
    const { expectedFields } = topics;
    const series = createSeriesBuilder({ startTime: before.startTime, expectedFields, widths });
    const density = new DensityCounts(before.startTime, before.endTime, before.topics.length);
    const generate = options.generate ?? canGenerateCode();
    const columns = options.sinks?.() ?? [];
    const signals = options.signals && merged ? new PassSignals(before, options.signals(), topics) : null;
    const room = new ColumnRoom();
    this.sinks = { topics, feed, series, density, columns, signals, start: before.startTime, generate, room };
    for (const reading of topics.readings) {
      const { id, topic } = reading.channel;
      if (merged === null || merged.has(topic)) this.apart.add(topic);
      else this.topics[id] = { reading, rows: new ChunkRows(topic), work: null };
    }
  }

  async read(): Promise<void> {
    if (this.topics.length > 0)
      for await (const { table, chunk } of this.reader.chunks()) await this.take(table, chunk);
    if (this.isMerged || this.apart.size > 0) await this.readMerged();
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
    // A wrong index may also be wrong about which chunk holds which topic.
    const chosen = this.isMerged ? {} : { topics: this.apart };
    for await (const batch of this.reader.messages({ ...chosen, ...(signal ? { signal } : {}) })) {
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
