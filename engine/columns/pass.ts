import { toDataView } from "@/engine/bytes";
import { canGenerateCode } from "@/engine/code-generation";
import { Disordered, Unlisted } from "@/engine/columns/chunk-rows";
import type { ColumnSink } from "@/engine/columns/column-batch";
import { maxSpanNs } from "@/engine/columns/column-held";
import { PassSignals } from "@/engine/columns/pass-signals";
import { TopicWork, type PassSinks } from "@/engine/columns/topic-work";
import type { ByteSource } from "@/engine/formats/byte-source";
import type { ChunkRef } from "@/engine/formats/indexed-file";
import type { MergedReader } from "@/engine/formats/merged-reader";
import type { MessageTable } from "@/engine/formats/message-table";
import { openRecording } from "@/engine/formats/reader";
import type { RecordingSummary } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { processRecording, timeBudgetMs, type Pass, type ProcessOptions } from "@/engine/pass/pass";
import { TopicReadings } from "@/engine/pass/topics";
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
  if (Number(before.endTime - before.startTime) * 8 < maxSpanNs) {
    for (let attempt = 0; attempt <= maxRestarts; attempt++) {
      const run = new ColumnRun(reader, before, rules, merged, widths, options, started + budget);
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

/** One reading of all chunks. */
class ColumnRun {
  private readonly sinks: PassSinks;
  /** By channel id. */
  private readonly works: (TopicWork | undefined)[] = [];
  private readonly slicer: TimeSlicer;
  private readonly apart = new Set<string>();
  /** Messages read, and how many of them in the order of the merge. */
  done = 0;
  merges = 0;

  constructor(
    private readonly reader: MergedReader,
    private readonly before: RecordingSummary,
    rules: readonly RuleInput[],
    private readonly merged: ReadonlySet<string>,
    widths: (topic: string, cap: number) => number,
    private readonly options: ColumnOptions,
    private readonly deadline: number,
  ) {
    const topics = new TopicReadings(before);
    const facts = factsFromSummary(before, (topic) => topics.known(topic));
    const feed = new RuleFeed(rules, facts);
    const { expectedFields } = topics;
    const series = createSeriesBuilder({ startTime: before.startTime, expectedFields, widths });
    const density = new DensityCounts(before.startTime, before.endTime, before.topics.length);
    const generate = options.generate ?? canGenerateCode();
    const columns = options.sinks?.() ?? [];
    const signals = options.signals ? new PassSignals(before, options.signals(), topics) : null;
    this.sinks = { topics, feed, series, density, columns, signals, start: before.startTime, generate };
    this.slicer = new TimeSlicer(options.signal, options.giveWay);
    for (const reading of topics.readings) {
      if (merged.has(reading.channel.topic)) this.apart.add(reading.channel.topic);
      else this.works[reading.channel.id] = new TopicWork(reading, this.sinks);
    }
  }

  async read(): Promise<void> {
    if (this.works.length > 0) for await (const { table, chunk } of this.reader.chunks()) await this.take(table, chunk);
    if (this.apart.size > 0) await this.readMerged();
  }

  private async take(table: MessageTable, chunk: ChunkRef): Promise<void> {
    this.place(table, chunk);
    const { data: bytes } = table;
    const view = toDataView(bytes);
    for (const work of this.works) {
      if (work === undefined || work.rows.count === 0) continue;
      const { rows } = work;
      rows.order(bytes);
      const placed = { view, bytes, starts: rows.starts, ends: rows.ends };
      for (let at = 0; at < rows.count;) {
        const next = work.take(placed, at);
        this.done += next - at;
        at = next;
        if (this.slicer.isOver) await this.pause();
      }
      rows.count = 0;
    }
    if (this.slicer.isOver) await this.pause();
  }

  /** Sorts the messages of a chunk by channel. */
  private place(table: MessageTable, chunk: ChunkRef): void {
    const { works, apart } = this;
    const least = Number(chunk.startTime - this.before.startTime);
    const { channels } = table.file;
    const { startTime: start, endTime } = this.before;
    const most = Number(endTime - start);
    const high = Number(start >> 32n);
    const low = Number(start & 0xffff_ffffn);
    const bySlot = channels.map((channel, slot) => {
      if (channel === undefined) return null;
      // The merge reads a topic only from chunks whose index names it.
      const isMerged = apart.has(channel.topic) && chunk.slots?.has(slot) !== false;
      return works[channel.id] ?? (isMerged ? null : undefined);
    });
    for (let row = 0; row < table.count; row++) {
      const work = bySlot[table.slot(row)];
      if (work === null) continue;
      const time = table.timeFrom(row, high, low);
      if (work === undefined || time < least || time > most) throw new Unlisted();
      const offset = table.offset(row);
      work.rows.add(offset, offset + table.length(row), time, table.sequence(row));
    }
  }

  private async pause(): Promise<void> {
    const { before, done } = this;
    if (performance.now() - this.slicer.waitedMs > this.deadline)
      throw new RecordingError("Processing took longer than the time allowed for its size.");
    this.options.onProgress?.("reading", before.messageCount === 0 ? 1 : Math.min(1, done / before.messageCount));
    await this.slicer.yield();
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
        if (at % 256 === 0 && this.slicer.isOver) await this.pause();
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
