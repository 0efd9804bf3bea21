import { emptyAttachments } from "@/engine/formats/attachment";
import type { ChannelDefinition } from "@/engine/formats/channel-definition";
import {
  chunksAhead,
  emptyRange,
  WrongIndex,
  type ChunkRef,
  type ChunkTimes,
  type IndexedFile,
  type LostRange,
  type PackedFile,
  type RowFilter,
} from "@/engine/formats/indexed-file";
import { McapCatalogue } from "@/engine/formats/mcap/mcap-catalogue";
import { StoredChunks } from "@/engine/formats/mcap/mcap-chunks";
import type { McapContext } from "@/engine/formats/mcap/mcap-context";
import { ChunkHeads } from "@/engine/formats/mcap/mcap-heads";
import {
  packMcapChunk,
  unpackMcapChunk,
  type McapChunk,
  type McapFileParts,
  type McapIndex,
} from "@/engine/formats/mcap/mcap-index";
import { scanMessages, warnOfLeftOut } from "@/engine/formats/mcap/mcap-messages";
import { eachRecord, Malformed, Op } from "@/engine/formats/mcap/mcap-records";
import { readListedTimes } from "@/engine/formats/mcap/mcap-times";
import { indexMcap } from "@/engine/formats/mcap/mcap-walk";
import { MessageTable } from "@/engine/formats/message-table";
import { isShort, maxShortPrepared, type ReadAhead } from "@/engine/formats/read-ahead";
import type { Channel } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { widenBy } from "@/engine/formats/stats/time-lists";

const EVERYTHING: RowFilter = { slots: null, start: null, end: null };

/** Opens one MCAP file: lists its chunks and finds its channels, decompressing only what no index describes. */
export async function openMcap(source: ReadAhead, context: McapContext): Promise<IndexedFile> {
  const file = new McapFile(source, context, indexMcap);
  await file.build(true);
  return file;
}

/** How the chunks of a file are found. */
export type IndexMcap = typeof indexMcap;

/** Opens an MCAP file whose chunks are known; `index`: to find them anew where they turn out to be others. */
export function openPackedMcap(
  packed: PackedFile,
  source: ReadAhead,
  context: McapContext,
  index: IndexMcap | null = null,
): IndexedFile {
  const file = new McapFile(source, context, index);
  file.restore(packed);
  return file;
}

class McapFile implements IndexedFile {
  readonly format = "mcap";
  chunks: McapChunk[] = [];
  definitions: ChannelDefinition[] = [];
  channels: (Channel | undefined)[] = [];
  ranks: number[] = [];
  truncated = false;
  truncatedEnd: bigint | null = null;
  readonly lost: LostRange[] = [];
  attachments = emptyAttachments();
  private readonly catalogue: McapCatalogue;
  private statistics: McapIndex["statistics"] = null;
  private trustMessageIndexes = true;
  private verified = false;
  /** Of the chunk at hand, where its messages are not kept. */
  private table: MessageTable | undefined;
  private readonly heads: ChunkHeads;
  private readonly stored: StoredChunks;

  constructor(
    private readonly source: ReadAhead,
    private readonly context: McapContext,
    private readonly index: IndexMcap | null,
  ) {
    this.catalogue = new McapCatalogue(context);
    this.heads = new ChunkHeads(source, context.allowance);
    this.stored = new StoredChunks(source, context, this.heads, this.lost);
  }

  async build(useSummary: boolean): Promise<void> {
    const { source, catalogue, context } = this;
    const parts: McapFileParts = { file: this, source, catalogue, ...context };
    if (this.index === null) throw new RecordingError("The index does not agree with the stored chunks.");
    const index = await this.index(parts, useSummary);
    ({ chunks: this.chunks, statistics: this.statistics, attachments: this.attachments } = index);
    ({ truncated: this.truncated, truncatedEnd: this.truncatedEnd } = index);
    await this.findChannels();
    this.definitions = catalogue.definitions();
    for (const chunk of this.chunks) chunk.slots = this.getSlots(chunk);
  }

  toPacked(): PackedFile {
    return {
      id: this.source.id ?? "",
      format: this.format,
      definitions: this.definitions,
      slots: [...this.catalogue.slots],
      chunks: this.chunks.map(packMcapChunk),
    };
  }

  restore({ definitions, slots, chunks }: PackedFile): void {
    this.definitions = definitions;
    for (const [id, slot] of slots) this.catalogue.slots.set(id, slot);
    this.chunks = chunks.map((chunk) => unpackMcapChunk(chunk, this));
  }

  /**
   * Channels and schemas are repeated after the data by most recorders; where either is not, chunks are read until all
   * are known. Those that hold messages of a channel come first: a schema may also lie in a chunk without any.
   */
  private async findChannels(): Promise<void> {
    const { catalogue } = this;
    const { size } = catalogue.slots;
    const complete = this.statistics !== null && size > 0 && size >= this.statistics.channelCount;
    const waiting: McapChunk[] = [];
    for (const chunk of this.chunks) {
      const ids = chunk.channelIds;
      if (ids === null ? complete : [...ids].every((id) => catalogue.isDefined(id))) waiting.push(chunk);
      else await this.readDefinitions(chunk);
    }
    for (const chunk of waiting) {
      if (!catalogue.lacksSchemas) return;
      await this.readDefinitions(chunk);
    }
  }

  private async readDefinitions(chunk: McapChunk): Promise<void> {
    this.context.allowance.checkTime();
    const data = await this.stored.read(chunk);
    eachRecord(data, (op, at, length) => {
      if (op !== Op.Schema && op !== Op.Channel) return;
      const record = data.subarray(at, at + length);
      try {
        if (op === Op.Schema) this.catalogue.addSchema(record);
        else this.catalogue.addChannel(record);
      } catch (error) {
        if (!(error instanceof Malformed)) throw error;
        this.context.warnings.add("A damaged schema or channel was skipped.");
      }
    });
    if (chunk.channelIds === null) this.correct(chunk, this.scan(chunk, data, EVERYTHING));
  }

  private getSlots({ channelIds }: McapChunk): ReadonlySet<number> | null {
    if (channelIds === null) return null;
    const slots = [...channelIds].map((id) => this.catalogue.slots.get(id));
    return this.context.sets.get(slots.filter((slot) => slot !== undefined));
  }

  async verify(counted: number | null): Promise<boolean> {
    if (this.heads.disagree) return this.rebuild();
    if (counted !== null) {
      const expected = this.statistics?.messageCount ?? counted;
      // The file's own count includes what was left out.
      const known = !this.truncated && this.lost.length === 0;
      if (expected === counted || !known || !this.trustMessageIndexes) return false;
      this.context.warnings.add(
        "The message indexes do not add up to the file's own count; every chunk was counted instead.",
      );
      this.trustMessageIndexes = false;
      return true;
    }
    if (this.verified) return false;
    this.verified = true;
    // Joined chunks are checked when they are read.
    const listed = this.chunks.filter(
      ({ bare, cut, joined, channelIds }) => !bare && !cut && joined === 1 && channelIds,
    );
    const indexed = new Map<number, McapChunk>();
    for (const chunk of this.chunks)
      if (this.hasListedTimes(chunk)) indexed.set(chunk.indexOffset + chunk.indexLength, chunk);
    await this.heads.check(listed, ({ offset }) => indexed.get(offset) ?? null);
    return this.heads.disagree && this.rebuild();
  }

  private async rebuild(): Promise<boolean> {
    this.context.warnings.add("The index does not agree with the stored chunks; the file was read through instead.");
    for (const chunk of this.chunks) this.context.allowance.discountChunks(chunk.uncompressedBytes);
    this.heads.reset();
    await this.build(false);
    return true;
  }

  prepare(chunk: McapChunk, what: "load" | "times", until: ChunkRef = chunk): void {
    if (what === "times" && this.hasListedTimes(chunk)) this.source.prepare(chunk.indexOffset, this.indexSpan(chunk));
    else this.source.prepare(chunk.offset, until.offset + until.length - chunk.offset);
  }

  begin(chunk: McapChunk, filter: RowFilter): boolean {
    return this.stored.begin(chunk, filter, this.catalogue.slotTable);
  }

  async load(chunk: McapChunk, filter: RowFilter, sorted = true, signal?: AbortSignal): Promise<MessageTable> {
    if (!sorted) return this.loadNext(chunk, filter);
    const table = this.scan(chunk, await this.stored.read(chunk, { signal }), filter);
    table.sort();
    return table;
  }

  /** Loads a chunk into the memory of the one before. */
  private async loadNext(chunk: McapChunk, filter: RowFilter): Promise<MessageTable> {
    const { records, unpacked } = await this.stored.readNext(chunk);
    if (unpacked === null) return (this.table = this.scan(chunk, records, filter, this.table));
    warnOfLeftOut(unpacked.leftOut, this.context.warnings);
    const table = new MessageTable(this, records, unpacked.rows);
    table.count = unpacked.count;
    return table;
  }

  release(): void {
    this.stored.release();
  }

  async times(chunk: McapChunk): Promise<ChunkTimes> {
    const listed = this.hasListedTimes(chunk) ? await this.listedTimes(chunk) : null;
    // Nothing is decompressed that may not be there.
    if (listed === null) await this.heads.checkWaiting();
    if (this.heads.disagree) throw new WrongIndex();
    return listed ?? this.correct(chunk, this.scan(chunk, await this.stored.read(chunk, { brief: true }), EVERYTHING));
  }

  timesAhead(chunk: McapChunk): number {
    return this.hasListedTimes(chunk) && isShort(this.indexSpan(chunk)) ? maxShortPrepared - 1 : chunksAhead;
  }

  /** Bytes of a chunk's message indexes, and of what is read with them. */
  private indexSpan(chunk: McapChunk): number {
    return chunk.indexLength + this.heads.lengthBehind(chunk);
  }

  private hasListedTimes({ indexLength, joined }: McapChunk): boolean {
    return (
      joined === 1 && indexLength > 0 && this.trustMessageIndexes && indexLength <= this.context.allowance.maxChunkBytes
    );
  }

  /** The times in a chunk's message indexes, or null when they cannot be used. */
  private async listedTimes(chunk: McapChunk): Promise<ChunkTimes | null> {
    const { indexOffset, indexLength } = chunk;
    const bytes = await this.source.read(indexOffset, this.indexSpan(chunk));
    this.heads.takeBehind(chunk, bytes.subarray(indexLength));
    const listed = readListedTimes(bytes.subarray(0, indexLength), this.catalogue.slots);
    this.source.release(bytes);
    if (listed === null) return null;
    chunk.startTime = listed.range.start;
    chunk.endTime = listed.range.end;
    chunk.slots = this.context.sets.get(listed.times.keys());
    return listed.times;
  }

  /** Corrects a chunk's range by its contents, and returns its times. */
  private correct(chunk: McapChunk, table: MessageTable): ChunkTimes {
    const times = table.timesBySlot();
    const range = emptyRange();
    for (const list of times.values()) widenBy(range, list);
    chunk.startTime = range.start;
    chunk.endTime = range.end;
    chunk.slots = this.context.sets.get(times.keys());
    return times;
  }

  /** `table`: one whose messages are not needed any more. */
  private scan(chunk: McapChunk, data: Uint8Array, filter: RowFilter, table?: MessageTable): MessageTable {
    const scanned = table ?? new MessageTable(this, data, data.length >> 8);
    scanned.reset(data);
    const leftOut = scanMessages(scanned, this.catalogue.slotTable, filter);
    const isPart = leftOut.broken > 0 && (chunk.cut || this.lost.some((range) => range.chunk === chunk));
    warnOfLeftOut(leftOut, this.context.warnings, isPart);
    return scanned;
  }
}
