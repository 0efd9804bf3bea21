import { isoFromNs } from "@/domain/time/nanoseconds";
import { joinAttachments } from "@/engine/formats/attachment";
import type { Completer } from "@/engine/formats/channel-definition";
import {
  chunksAhead,
  WrongIndex,
  type ChunkRef,
  type IndexedFile,
  type RowFilter,
  type Warnings,
} from "@/engine/formats/indexed-file";
import { joinChannels } from "@/engine/formats/joined-channels";
import type { Allowance } from "@/engine/formats/limits";
import { chunksHandedOver, type ChunksAhead } from "@/engine/formats/mcap/chunks-ahead";
import type { MessageTable } from "@/engine/formats/message-table";
import type { UnpackMessage } from "@/engine/formats/packed-message";
import { encodePack } from "@/engine/formats/packed-recording";
import { maxPreparedBytes } from "@/engine/formats/read-ahead";
import { mergeChunks } from "@/engine/formats/reader/merge";
import type {
  Channel,
  Gap,
  RawMessage,
  ReadOptions,
  RecordingReader,
  RecordingSummary,
  TopicStats,
} from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { describeReturn } from "@/engine/formats/stats/clock-returns";
import type { TimeGroup } from "@/engine/formats/stats/time-groups";
import { gatherStats, RangeChanged, type RecordingStats } from "@/engine/formats/stats/topic-stats";

/** Bytes between two chunks that are read with them. */
const maxBetween = 64 * 1024;

/** The files of one recording read as one. */
export class MergedReader implements RecordingReader {
  private channels: Channel[] = [];
  private stats: Promise<RecordingStats> | null = null;
  /** What the summary found to be the recording's range, when messages lie outside it. */
  private window: TimeGroup | null = null;

  constructor(
    private readonly files: readonly IndexedFile[],
    private readonly allowance: Allowance,
    private readonly warnings: Warnings,
    private readonly unpack: UnpackMessage,
    private readonly ahead: ChunksAhead | null = null,
    private readonly completer: Completer | null = null,
  ) {
    this.channels = joinChannels(files, unpack, completer);
  }

  async summary(): Promise<RecordingSummary> {
    this.allowance.resume();
    try {
      const stats = await (this.stats ??= this.gather());
      this.window = stats.window;
      if (stats.messageCount === 0 && this.warnings.loss !== null) throw new RecordingError(this.warnings.loss);
      return this.describe(stats);
    } finally {
      this.allowance.pause();
    }
  }

  /** Gathers the statistics; restarts when an index turns out to be wrong. */
  private async gather(): Promise<RecordingStats> {
    for (let areRangesWrong = false; ;) {
      try {
        await this.verify(() => null);
        if (areRangesWrong) await this.correctRanges();
        const stats = await gatherStats(this.files, this.allowance);
        if (!(await this.verify((file) => stats.perFile.get(file) ?? 0))) return stats;
      } catch (error) {
        // Each chunk's range is corrected at most once, and each index rebuilt once, so the loop terminates.
        areRangesWrong = error instanceof RangeChanged;
        if (!areRangesWrong && !(error instanceof WrongIndex)) throw error;
      }
    }
  }

  /** Whether one of the files had to be listed or counted anew. */
  private async verify(count: (file: IndexedFile) => number | null): Promise<boolean> {
    let changed = false;
    for (const file of this.files) changed = (await file.verify(count(file))) || changed;
    if (changed) this.channels = joinChannels(this.files, this.unpack, this.completer);
    return changed;
  }

  private async correctRanges(): Promise<void> {
    for (const chunk of this.files.flatMap((file) => file.chunks)) {
      this.allowance.checkTime();
      await chunk.file.times(chunk);
    }
    this.warnings.add("Chunks hold messages from before the time they declare; their ranges were corrected.");
  }

  private describe(stats: RecordingStats): RecordingSummary {
    if (stats.approximate) {
      this.warnings.add("Messages are stored too far out of order; the median periods are approximate.");
    }
    if (stats.outliers.length > 0) this.warnings.add(describeOutliers(stats.outliers));
    if (stats.clockReturn !== null) this.warnings.add(describeReturn(stats.clockReturn));
    const attachments = joinAttachments(
      this.files.map((file) => file.attachments),
      (text) => this.warnings.add(text),
    );
    const topics: TopicStats[] = [];
    const named = new Map<string, Channel>();
    for (const channel of this.channels) {
      // Of several channels on one topic, the one with the most messages determines the schema.
      const best = named.get(channel.topic);
      if (best === undefined || count(stats, channel) > count(stats, best)) named.set(channel.topic, channel);
    }
    for (const [topic, { messageCount, firstTime, lastTime, medianPeriodNs }] of stats.topics) {
      const channel = named.get(topic);
      topics.push({
        topic,
        schemaName: channel?.schemaName ?? "",
        messageCount,
        firstTime,
        lastTime,
        medianPeriodNs,
        encoding: channel?.messageEncoding ?? "",
      });
    }
    topics.sort((a, b) => (a.topic < b.topic ? -1 : 1));
    return {
      format: this.files[0]?.format ?? "mcap",
      startTime: stats.startTime,
      endTime: stats.endTime,
      messageCount: stats.messageCount,
      channels: this.channels,
      topics,
      gaps: this.gaps(stats),
      truncated: this.files.some((file) => file.truncated),
      attachments,
      warnings: this.warnings.list(),
    };
  }

  private gaps(stats: RecordingStats): Gap[] {
    const gaps: Gap[] = [...stats.silences];
    for (const file of this.files) {
      const lost = new Map(file.lost.map((range) => [range.offset, range]));
      for (const { startTime, endTime } of lost.values()) {
        if (startTime <= endTime) gaps.push({ startTime, endTime, kind: "truncated" });
      }
      if (!file.truncated || file.chunks.length === 0) continue;
      const end = file.chunks.reduce((last, chunk) => (chunk.endTime > last ? chunk.endTime : last), 0n);
      const known = file.truncatedEnd ?? end;
      gaps.push({ startTime: end, endTime: known > end ? known : end, kind: "truncated" });
    }
    const { window } = stats;
    const clipped = window === null ? gaps : gaps.flatMap((gap) => clip(gap, window));
    return clipped.sort((a, b) => (a.startTime < b.startTime ? -1 : a.startTime > b.startTime ? 1 : 0));
  }

  pack(): Uint8Array {
    return encodePack(this.files.map((file) => file.toPacked()));
  }

  /**
   * Topics whose messages must be merged: those of several channels, and those whose messages in one chunk are older
   * than others in a chunk before.
   */
  async findMerged(): Promise<Set<string>> {
    const stats = await (this.stats ??= this.gather());
    const merged = new Set(stats.disordered);
    const seen = new Set<string>();
    for (const { id, topic } of this.channels) {
      if (count(stats, { id }) === 0) continue;
      if (seen.has(topic)) merged.add(topic);
      seen.add(topic);
    }
    return merged;
  }

  /**
   * The least width, nanoseconds and a power of two, of which a topic's times need no more than `cap` buckets from the
   * start of the recording; 1 where that is not known.
   */
  async bucketWidths(): Promise<(topic: string, cap: number) => number> {
    const { topics, bucketsFrom } = await (this.stats ??= this.gather());
    return (topic, cap) => (bucketsFrom === null ? 1 : (topics.get(topic)?.buckets.getWidth(cap) ?? 1));
  }

  /**
   * The chunks by their start times, each with its messages as they are stored. A table is only valid until the next one.
   */
  async *chunks(): AsyncGenerator<{ chunk: ChunkRef; table: MessageTable }> {
    const { allowance } = this;
    const filter: RowFilter = { slots: null, ...within(this.window, null, null) };
    const wanted = this.files.flatMap((file) => file.chunks.filter(({ startTime, endTime }) => startTime <= endTime));
    wanted.sort((a, b) => (a.startTime < b.startTime ? -1 : a.startTime > b.startTime ? 1 : 0));
    try {
      const blocks = joinNeighbours(wanted);
      const handedOver = this.ahead === null ? -1 : chunksHandedOver;
      let [prepared, begun] = [0, 0];
      /** `next`: the chunk whose bytes are read next. They are read in order, because a block ends with its last part. */
      const prepareBlocks = (next: number): void => {
        while (prepared < blocks.length && blocks[Math.max(0, prepared - chunksAhead)]!.at <= next)
          prepareBlock(blocks[prepared++]!);
      };
      for (const [at, chunk] of wanted.entries()) {
        allowance.resume();
        allowance.checkTime();
        begun = Math.max(begun, at);
        prepareBlocks(begun);
        while (begun <= at + handedOver && wanted[begun]?.file.begin(wanted[begun]!, filter)) prepareBlocks(++begun);
        const table = await chunk.file.load(chunk, filter, false);
        allowance.pause();
        yield { chunk, table };
      }
    } finally {
      allowance.pause();
      for (const file of this.files) file.release();
      this.ahead?.end();
    }
  }

  async *messages(options: ReadOptions = {}): AsyncGenerator<RawMessage[]> {
    const { topics, start, end, signal } = options;
    const filters = new Map<IndexedFile, RowFilter>();
    for (const file of this.files) {
      const slots = topics === undefined ? null : file.definitions.map((definition) => topics.has(definition.topic));
      filters.set(file, { slots, ...within(this.window, start ?? null, end ?? null) });
    }
    const { files, allowance, warnings } = this;
    const batches = mergeChunks({ files, filters, allowance, warnings });
    try {
      for (;;) {
        signal?.throwIfAborted();
        allowance.resume();
        const step = await batches.next();
        allowance.pause();
        if (step.done === true) return;
        yield step.value;
      }
    } finally {
      allowance.pause();
      await batches.return(undefined);
    }
  }
}

/** Chunks that are neighbours in their file. */
interface Block {
  /** The position of the first. */
  at: number;
  first: ChunkRef;
  last: ChunkRef;
}

/** Puts chunks that follow each other in a file, with their indexes between them, into blocks of one request. */
function joinNeighbours(chunks: readonly ChunkRef[]): Block[] {
  const blocks: Block[] = [];
  for (const [at, chunk] of chunks.entries()) {
    const block = blocks.at(-1);
    const end = chunk.offset + chunk.length;
    const distance = block ? chunk.offset - block.last.offset - block.last.length : -1;
    if (
      block?.last.file === chunk.file &&
      distance >= 0 &&
      distance <= maxBetween &&
      end - block.first.offset <= maxPreparedBytes
    )
      block.last = chunk;
    else blocks.push({ at, first: chunk, last: chunk });
  }
  return blocks;
}

const prepareBlock = ({ first, last }: Block): void => first.file.prepare(first, "load", last);

/** The part of a gap that lies within a range, if any. */
function clip({ startTime, endTime, kind }: Gap, { start, end }: TimeGroup): Gap[] {
  if (endTime < start || startTime > end) return [];
  return [{ startTime: startTime > start ? startTime : start, endTime: endTime < end ? endTime : end, kind }];
}

/** The part of a wanted range that lies within the recording's own. */
function within(
  window: TimeGroup | null,
  start: bigint | null,
  end: bigint | null,
): { start: bigint | null; end: bigint | null } {
  if (window === null) return { start, end };
  return {
    start: start !== null && start > window.start ? start : window.start,
    end: end !== null && end < window.end ? end : window.end,
  };
}

function describeOutliers(outliers: readonly TimeGroup[]): string {
  const left = outliers.reduce((sum, { count }) => sum + count, 0);
  const days = outliers.map(({ start, end }) =>
    day(start) === day(end) ? day(start) : `${day(start)} to ${day(end)}`,
  );
  const [messages, their] =
    left === 1 ? ["1 message was", "its time lies"] : [`${left} messages were`, "their times lie"];
  return `${messages} left out: ${their} far from the rest of the recording, on ${days.join(" and ")}.`;
}

const day = (time: bigint): string => isoFromNs(time).slice(0, 10);

function count(stats: RecordingStats, channel: Pick<Channel, "id">): number {
  return stats.channels.get(channel.id) ?? 0;
}
