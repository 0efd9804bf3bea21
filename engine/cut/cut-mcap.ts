import { ChunkBuilder, type CompressZstd } from "@/engine/cut/chunk-builder";
import { ChunkContents, copyChunk, listRecords, type CutFile } from "@/engine/cut/chunk-content";
import { chooseLatched, findLatched, type TopicFacts } from "@/engine/cut/latched";
import { McapOutput } from "@/engine/cut/mcap-output";
import { Numbering } from "@/engine/cut/numbering";
import { getProfile, readChannels, type SourceChannel } from "@/engine/cut/source-channels";
import { joinChunks, SpanSource, type Span } from "@/engine/cut/span-source";
import { holdsPacked, unpackMessage } from "@/engine/cut/unpack-message";
import type { ByteSource } from "@/engine/formats/byte-source";
import type { TimeRange } from "@/engine/formats/chunk-reader";
import type { Codecs } from "@/engine/formats/codecs/codecs";
import type { ChunkRef } from "@/engine/formats/indexed-file";
import { toSlotTable } from "@/engine/formats/mcap/mcap-messages";
import type { MessageTable } from "@/engine/formats/message-table";
import { openPacked, type OpenPack } from "@/engine/formats/packed/packed-reader";
import { ReadAhead } from "@/engine/formats/read-ahead";
import { RecordingError } from "@/engine/formats/recording-error";

/** The name of the metadata record in which a cut says what it is. */
export const cutMetadataName = "muster.cut";
/** Unpacked bytes that are kept while latched messages are looked for. */
const latchedCacheBytes = 64 * 1024 * 1024;
/** Bytes after which what was written is passed on. */
const passOnBytes = 256 * 1024;

/** What a cut needs of its caller. */
export interface CutHost {
  codecs: Codecs;
  /** Null writes chunks that are not compressed. */
  compress: CompressZstd | null;
}

export interface CutRequest extends TimeRange {
  /** Exact names; all when null. */
  topics: ReadonlySet<string> | null;
  /** The recording's own range: messages outside it are outliers. */
  recorded: TimeRange;
  /** Messages of each topic in the recording. */
  counts: ReadonlyMap<string, number>;
  /** What else its metadata says. */
  about: ReadonlyMap<string, string>;
}

/** What is known of a cut so far. */
export interface CutReport {
  messages: number;
  copiedChunks: number;
  repackedChunks: number;
  damagedChunks: number;
  latchedTopics: string[];
}

export const emptyReport = (): CutReport => ({
  messages: 0,
  copiedChunks: 0,
  repackedChunks: 0,
  damagedChunks: 0,
  latchedTopics: [],
});

/**
 * Cuts a range out of a recording as an MCAP file, piece by piece. Chunks of which every message is wanted are copied
 * as they are, unless their messages are compressed one by one. `report` is kept up to date. Null for a pack of another version; throws a RecordingError for one that is
 * damaged and for more channels than the format holds.
 */
export function cutMcap(
  pack: Uint8Array,
  files: readonly ByteSource[],
  host: CutHost,
  request: CutRequest,
  report: CutReport,
): AsyncGenerator<Uint8Array> | null {
  const sources = new Map(files.map((file) => [file.id ?? "", new SpanSource(file)]));
  const opened = openPacked(pack, sources, host.codecs, latchedCacheBytes);
  return opened && new Cut(opened, sources, host, request, report).write();
}

class Cut {
  private readonly output: McapOutput;
  private readonly numbering: Numbering;
  private readonly builder: ChunkBuilder;
  private readonly contents: ChunkContents;
  private readonly range: TimeRange;
  private readonly cutFiles = new Map<unknown, CutFile>();

  constructor(
    private readonly opened: OpenPack,
    private readonly sources: ReadonlyMap<string, SpanSource>,
    { codecs, compress }: CutHost,
    private readonly request: CutRequest,
    private readonly report: CutReport,
  ) {
    const { packed, allowance, warnings } = opened;
    const definitions = packed.flatMap((file) => file.definitions).filter(({ topic }) => this.isWanted(topic));
    this.output = new McapOutput(codecs, getProfile(definitions));
    this.numbering = new Numbering(this.output);
    this.builder = new ChunkBuilder(codecs, compress);
    this.contents = new ChunkContents(codecs, allowance, warnings);
    const { start, end, recorded } = request;
    this.range = {
      start: start > recorded.start ? start : recorded.start,
      end: end < recorded.end ? end : recorded.end,
    };
    opened.chunks.range = recorded;
  }

  private readonly isWanted = (topic: string): boolean => this.request.topics?.has(topic) ?? true;

  async *write(): AsyncGenerator<Uint8Array> {
    const { output, builder } = this;
    // Before the first chunk: one that is copied need not repeat them, and readers that stream ask for them first.
    await this.addLatched(await this.declare());
    yield output.take();
    for await (const { cutFile, chunk } of this.readSpans(joinChunks(this.listChunks()))) {
      await this.addChunk(cutFile, chunk);
      if (output.pendingBytes >= passOnBytes) yield output.take();
    }
    if (!builder.isEmpty) this.flush();
    output.addMetadata(cutMetadataName, this.describe());
    output.close();
    yield output.take();
  }

  private async declare(): Promise<SourceChannel[]> {
    const { packed, files } = this.opened;
    const all: SourceChannel[] = [];
    for (const [at, file] of files.entries()) {
      const known = packed[at]!;
      const source = this.sources.get(known.id);
      if (source === undefined) throw new RecordingError("A file of the recording is missing.");
      const channels = await readChannels(known, new ReadAhead(source));
      const numbers = this.numbering.declare(channels, this.isWanted);
      const [slots, records] = [toSlotTable(new Map(known.slots)), listRecords(known, file)];
      this.cutFiles.set(file, { packed: known, file, source, numbers, slots, records });
      all.push(...channels.filter(({ topic }) => this.isWanted(topic)));
    }
    return all;
  }

  private async addLatched(channels: readonly SourceChannel[]): Promise<void> {
    const { recorded, counts } = this.request;
    const topics = new Map<string, TopicFacts>();
    const schemas = new Map(
      this.opened.packed.flatMap(({ definitions }) => definitions.map(({ topic, schemaName }) => [topic, schemaName])),
    );
    for (const { topic, transientLocal } of channels) {
      const messageCount = counts.get(topic) ?? 0;
      if (messageCount === 0) continue;
      const known = topics.get(topic)?.transientLocal ?? false;
      const schemaName = schemas.get(topic) ?? "";
      topics.set(topic, { topic, schemaName, messageCount, transientLocal: known || transientLocal });
    }
    const seconds = Number(recorded.end - recorded.start) / 1e9;
    const latched = chooseLatched([...topics.values()], seconds);
    const { messages, leftOut } = await findLatched(this.opened.chunks, latched, this.range.start, recorded);
    this.latchedLeftOut = leftOut;
    const byChannel = this.getChannelIds();
    for (const message of messages) {
      const id = byChannel.get(message.channel.id);
      if (id === undefined) continue;
      this.builder.add(id, message, unpackMessage(message));
      if (!this.report.latchedTopics.includes(message.channel.topic))
        this.report.latchedTopics.push(message.channel.topic);
      if (this.builder.isFull) this.flush();
    }
    if (!this.builder.isEmpty) this.flush();
  }

  private latchedLeftOut = 0;

  /** The numbers in the cut by the recording's own of a channel. */
  private getChannelIds(): Map<number, number> {
    const ids = new Map<number, number>();
    for (const { file, numbers } of this.cutFiles.values()) {
      for (const [slot, channel] of file.channels.entries()) {
        const id = numbers.ids[slot];
        if (channel !== undefined && id !== undefined && !ids.has(channel.id)) ids.set(channel.id, id);
      }
    }
    return ids;
  }

  /** The chunks that may hold wanted messages, by their start. */
  private listChunks(): ChunkRef[] {
    const { start, end } = this.range;
    const chunks: ChunkRef[] = [];
    for (const { file, numbers } of this.cutFiles.values()) {
      // Chunks of the same channels share their set of them.
      const known = new Map<ReadonlySet<number>, boolean>();
      const isWanted = (slots: ReadonlySet<number>): boolean => {
        const wanted = known.get(slots) ?? [...slots].some((slot) => numbers.ids[slot] !== undefined);
        known.set(slots, wanted);
        return wanted;
      };
      for (const chunk of file.chunks) {
        if (chunk.startTime > chunk.endTime || chunk.startTime > end || chunk.endTime < start) continue;
        if (chunk.slots === null || isWanted(chunk.slots)) chunks.push(chunk);
      }
    }
    return chunks.sort((a, b) => (a.startTime < b.startTime ? -1 : a.startTime > b.startTime ? 1 : 0));
  }

  /** The chunks of spans, each with its bytes at hand; the next span is read meanwhile. */
  private async *readSpans(spans: readonly Span[]): AsyncGenerator<{ cutFile: CutFile; chunk: ChunkRef }> {
    const begin = (span: Span | undefined): Promise<Uint8Array> | null => {
      const bytes = span ? this.getFile(span.chunks[0]!).source.fetch(span) : null;
      bytes?.catch(() => {}); // whoever holds it sees the failure
      return bytes;
    };
    let ahead = begin(spans[0]);
    for (const [at, span] of spans.entries()) {
      const bytes = await ahead!;
      ahead = begin(spans[at + 1]);
      const cutFile = this.getFile(span.chunks[0]!);
      cutFile.source.hold(span, bytes);
      for (const chunk of span.chunks) yield { cutFile, chunk };
    }
  }

  private getFile(chunk: ChunkRef): CutFile {
    const found = this.cutFiles.get(chunk.file);
    if (found === undefined) throw new Error("a chunk of no file");
    return found;
  }

  private async addChunk(cutFile: CutFile, chunk: ChunkRef): Promise<void> {
    const { numbers } = cutFile;
    const content = await this.contents.read(cutFile, chunk);
    this.report.damagedChunks += content.damaged;
    const copied = holdsPacked(content.table) ? null : copyChunk(content, numbers, this.numbering, this.range);
    if (copied === null) return this.repack(content.table, numbers.ids);
    if (!this.builder.isEmpty) this.flush();
    this.output.addChunk(copied);
    this.report.copiedChunks += 1;
    this.report.messages = this.output.messageCount;
  }

  private repack(table: MessageTable, ids: readonly (number | undefined)[]): void {
    const { start, end } = this.range;
    for (let row = 0; row < table.count; row++) {
      const id = ids[table.slot(row)];
      if (id === undefined) continue;
      const logTime = table.time(row);
      if (logTime < start || logTime > end) continue;
      const message = table.message(row);
      if (message !== null) this.builder.add(id, message, unpackMessage(message));
      if (this.builder.isFull) this.flush();
    }
  }

  private flush(): void {
    this.output.addChunk(this.builder.build());
    this.report.repackedChunks += 1;
    this.report.messages = this.output.messageCount;
  }

  private describe(): Map<string, string> {
    const { damagedChunks, latchedTopics } = this.report;
    return new Map([
      ...this.request.about,
      ["from_ns", String(this.range.start)],
      ["to_ns", String(this.range.end)],
      ["latched_topics", JSON.stringify(latchedTopics)],
      ["latched_messages_left_out", String(this.latchedLeftOut)],
      ["damaged_chunks", String(damagedChunks)],
    ]);
  }
}
