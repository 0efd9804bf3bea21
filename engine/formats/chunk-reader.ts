import type { ChunkRef, IndexedFile, RowFilter } from "@/engine/formats/indexed-file";
import type { MessageTable } from "@/engine/formats/message-table";
import type { RawMessage } from "@/engine/formats/recording";

/** Chunks that are read ahead at once: fewer than a browser's requests, so that what is asked for need not wait for them. */
const aheadConcurrency = 4;

const everything: RowFilter = { slots: null, start: null, end: null };

/** Log times, nanoseconds, both included. */
export interface TimeRange {
  start: bigint;
  end: bigint;
}

/** A chunk in memory, or on its way there. */
interface HeldChunk {
  chunk: ChunkRef;
  table: Promise<MessageTable>;
  /** Unpacked bytes. */
  bytes: number;
  /** Whether it is in memory. */
  isLoaded: boolean;
  /** Ends its reading, as long as it is only read ahead. */
  ahead: AbortController | null;
}

/** The chunks with messages of a topic, by their start. */
interface TopicChunks {
  chunks: ChunkRef[];
  /** The latest end among the chunks up to each. */
  latestEnds: bigint[];
  /** The longest time, nanoseconds, from the start of a chunk to its first message of the topic, of those seen so far. */
  firstAfter: bigint;
}

/**
 * Single messages of a recording by topic and time, as a player asks for them: the last one at a moment, and all within
 * a range. Unpacked chunks stay in memory up to a budget; those farthest from the last moment asked for go first.
 */
export class ChunkReader {
  private readonly topics = new Map<string, TopicChunks>();
  private readonly held = new Map<ChunkRef, HeldChunk>();
  private heldBytes = 0;
  /** Those that could not be read when they were asked for last. */
  private readonly failed = new WeakSet<ChunkRef>();
  private at = 0n;
  /** Chunks to read while nothing else is wanted, the next one first. */
  private ahead: ChunkRef[] = [];
  private readingAhead = 0;
  /** The recording's own range: messages outside it are outliers. */
  range: TimeRange = { start: 0n, end: 0x7fff_ffff_ffff_ffffn };

  constructor(
    private readonly files: readonly IndexedFile[],
    private readonly budgetBytes = 256 * 1024 * 1024,
  ) {}

  /** The names of the schemas of a topic. */
  listSchemas(topic: string): string[] {
    return this.files.flatMap(({ definitions }) =>
      definitions.flatMap((definition) => (definition.topic === topic ? [definition.schemaName] : [])),
    );
  }

  /** The last message of a topic at or before a moment; null when there is none. Its payload is a view of its chunk. */
  async findLatest(topic: string, at: bigint): Promise<RawMessage | null> {
    this.at = at;
    const own = this.listChunks(topic);
    const { chunks, latestEnds } = own;
    const until = at < this.range.end ? at : this.range.end;
    const newest = countUpTo(chunks, until) - 1;
    // Where the newest chunk may hold nothing yet, the one before is requested with it.
    if (newest > 0 && until - chunks[newest]!.startTime < own.firstAfter)
      this.load(chunks[newest - 1]!).catch(() => {}); // whoever needs it sees the failure
    let best: RawMessage | null = null;
    for (let index = newest; index >= 0; index--) {
      // None of those before holds a later message.
      if (best !== null && latestEnds[index]! <= best.logTime) break;
      const chunk = chunks[index]!;
      if (chunk.endTime < this.range.start || (best !== null && chunk.endTime <= best.logTime)) continue;
      const table = await this.load(chunk);
      const found = this.findLast(table, topic, until);
      if (found === null && index === newest) this.learnFirst(own, table, topic, chunk.startTime);
      if (found !== null && (best === null || found.logTime > best.logTime)) best = found;
    }
    return best;
  }

  /** The messages of a topic within a range, by time; at most `limit`. */
  async listBetween(topic: string, { start, end }: TimeRange, limit = Infinity): Promise<RawMessage[]> {
    const found: RawMessage[] = [];
    for (const chunk of this.overlapping([topic], { start, end })) {
      // Chunks come by their start: none of those left holds an earlier message.
      if (found.length >= limit && chunk.startTime > found.sort(byTime)[limit - 1]!.logTime) break;
      const table = await this.load(chunk);
      for (let row = 0; row < table.count; row++) {
        const time = table.time(row);
        if (time < start || time > end || time < this.range.start || time > this.range.end) continue;
        const message = this.isOf(table, row, topic) ? table.message(row) : null;
        if (message !== null) found.push(message);
      }
    }
    return found.sort(byTime).slice(0, limit);
  }

  /** The recorded part of a range around a moment whose chunks hold at most `maxBytes` unpacked, or hold the moment itself. */
  narrow(topics: readonly string[], range: TimeRange, at: bigint, maxBytes: number): TimeRange {
    const narrowed = { start: max(range.start, this.range.start), end: min(range.end, this.range.end) };
    let bytes = 0;
    const byDistance = this.overlapping(topics, range).sort((a, b) => Number(distance(a, at) - distance(b, at)));
    for (const chunk of byDistance) {
      bytes += chunk.uncompressedBytes;
      if (bytes <= maxBytes || distance(chunk, at) === 0n) continue;
      if (chunk.startTime > at) narrowed.end = min(narrowed.end, chunk.startTime - 1n);
      else narrowed.start = max(narrowed.start, chunk.endTime + 1n);
    }
    return narrowed;
  }

  /** Begins to read the chunks that hold messages of topics within a range; resolves when they are in memory. */
  async prefetch(topics: readonly string[], range: TimeRange, maxBytes: number): Promise<void> {
    let bytes = 0;
    const loads: Promise<unknown>[] = [];
    for (const chunk of this.overlapping(topics, range)) {
      if ((bytes += chunk.length) > maxBytes && loads.length > 0) break;
      loads.push(this.load(chunk).catch(() => {})); // whoever needs it sees the failure
    }
    await Promise.all(loads);
  }

  /**
   * Reads chunks of a range, those near a moment first, while others are not asked for: instead of what was to be read ahead
   * before. Without topics nothing more is read ahead, and what is on its way comes no further.
   */
  readAhead(topics: readonly string[], range: TimeRange, at: bigint, maxBytes: number): void {
    if (topics.length === 0) this.abortAhead();
    let bytes = 0;
    const near = this.overlapping(topics, range).sort((a, b) => Number(distance(a, at) - distance(b, at)));
    const end = near.findIndex((chunk, index) => (bytes += chunk.length) > maxBytes && index > 0);
    this.ahead = near.slice(0, end === -1 ? near.length : end).filter((chunk) => !this.held.has(chunk));
    this.continueAhead();
  }

  /** Whether the last messages of topics at a moment are in memory, or cannot be read. */
  isReady(topics: readonly string[], at: bigint): boolean {
    return this.listNewest(topics, at).every(
      (chunk) => this.held.get(chunk)?.isLoaded === true || this.failed.has(chunk),
    );
  }

  /** Reads what `isReady` asks for; resolves when it is in memory, or cannot be read. */
  async makeReady(topics: readonly string[], at: bigint): Promise<void> {
    await Promise.all(this.listNewest(topics, at).map((chunk) => this.load(chunk).catch(() => {}))); // whoever needs it sees the failure
  }

  /** The first message of a topic; null without any. */
  async findFirst(topic: string): Promise<RawMessage | null> {
    return (await this.listBetween(topic, this.range, 1))[0] ?? null;
  }

  private listChunks(topic: string): TopicChunks {
    const known = this.topics.get(topic);
    if (known !== undefined) return known;
    const chunks = this.files.flatMap((file) => {
      const wanted = new Set(
        file.definitions.flatMap((definition, slot) => (definition.topic === topic ? [slot] : [])),
      );
      if (wanted.size === 0) return [];
      return file.chunks.filter(
        ({ slots, startTime, endTime }) =>
          startTime <= endTime && (slots === null || [...wanted].some((slot) => slots.has(slot))),
      );
    });
    chunks.sort((a, b) => (a.startTime < b.startTime ? -1 : a.startTime > b.startTime ? 1 : 0));
    let latest = 0n;
    const latestEnds = chunks.map(({ endTime }) => (latest = endTime > latest ? endTime : latest));
    const listed = { chunks, latestEnds, firstAfter: 0n };
    this.topics.set(topic, listed);
    return listed;
  }

  /** Of each topic the chunk that began last at a moment. */
  private listNewest(topics: readonly string[], at: bigint): ChunkRef[] {
    return topics.flatMap((topic) => {
      const { chunks } = this.listChunks(topic);
      return chunks[countUpTo(chunks, at) - 1] ?? [];
    });
  }

  /** The chunks with messages of any of the topics within a range, by their start. */
  private overlapping(topics: readonly string[], { start, end }: TimeRange): ChunkRef[] {
    const found = new Set<ChunkRef>();
    for (const topic of topics) {
      const { chunks, latestEnds } = this.listChunks(topic);
      for (let index = countUpTo(chunks, end) - 1; index >= 0 && latestEnds[index]! >= start; index--) {
        const chunk = chunks[index]!;
        if (chunk.endTime >= start) found.add(chunk);
      }
    }
    return [...found].sort((a, b) => (a.startTime < b.startTime ? -1 : a.startTime > b.startTime ? 1 : 0));
  }

  private isOf(table: MessageTable, row: number, topic: string): boolean {
    return table.file.channels[table.slot(row)]?.topic === topic;
  }

  private findLast(table: MessageTable, topic: string, until: bigint): RawMessage | null {
    let [low, high] = [0, table.count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (table.time(middle) <= until) low = middle + 1;
      else high = middle;
    }
    for (let row = low - 1; row >= 0 && table.time(row) >= this.range.start; row--) {
      if (this.isOf(table, row, topic)) return table.message(row);
    }
    return null;
  }

  private learnFirst(own: TopicChunks, table: MessageTable, topic: string, start: bigint): void {
    for (let row = 0; row < table.count; row++) {
      if (!this.isOf(table, row, topic)) continue;
      own.firstAfter = max(own.firstAfter, table.time(row) - start);
      return;
    }
  }

  private load(chunk: ChunkRef, ahead: AbortController | null = null): Promise<MessageTable> {
    const known = this.held.get(chunk);
    if (known !== undefined) {
      if (ahead === null) known.ahead = null;
      return known.table;
    }
    const table = chunk.file.load(chunk, everything, true, ahead?.signal);
    const held: HeldChunk = { chunk, table, bytes: chunk.uncompressedBytes, isLoaded: false, ahead };
    this.held.set(chunk, held);
    this.heldBytes += held.bytes;
    table.then(
      () => {
        held.isLoaded = true;
        held.ahead = null;
        this.failed.delete(chunk);
      },
      () => {
        if (ahead?.signal.aborted) return;
        // One that could not be read is asked for again.
        this.failed.add(chunk);
        this.drop(held);
      },
    );
    this.shrink(chunk);
    return table;
  }

  private continueAhead(): void {
    const done = () => {
      this.readingAhead -= 1;
      this.continueAhead();
    };
    while (this.readingAhead < aheadConcurrency) {
      const next = this.ahead.shift();
      if (next === undefined) return;
      if (this.held.has(next)) continue;
      this.readingAhead += 1;
      this.load(next, new AbortController()).then(done, done); // whoever needs it sees the failure
    }
  }

  /** Ends the reading of what nobody asked for yet. */
  private abortAhead(): void {
    for (const held of this.held.values()) {
      if (held.ahead === null) continue;
      this.drop(held);
      held.ahead.abort();
    }
  }

  private drop(held: HeldChunk): void {
    if (this.held.get(held.chunk) !== held) return;
    this.held.delete(held.chunk);
    this.heldBytes -= held.bytes;
  }

  /** Lets go of the chunks farthest from the last moment until the rest fits; never of `needed`. */
  private shrink(needed: ChunkRef): void {
    if (this.heldBytes <= this.budgetBytes) return;
    const { at } = this;
    const byDistance = [...this.held.values()].sort((a, b) => Number(distance(b.chunk, at) - distance(a.chunk, at)));
    for (const held of byDistance) {
      if (this.heldBytes <= this.budgetBytes) return;
      if (held.chunk !== needed) this.drop(held);
    }
  }
}

/** Nanoseconds between a moment and a chunk; 0 within it. */
function distance({ startTime, endTime }: ChunkRef, at: bigint): bigint {
  if (at < startTime) return startTime - at;
  return at > endTime ? at - endTime : 0n;
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const byTime = (a: RawMessage, b: RawMessage): number => (a.logTime < b.logTime ? -1 : a.logTime > b.logTime ? 1 : 0);

/** How many of the chunks begin at or before a moment. */
function countUpTo(chunks: readonly ChunkRef[], at: bigint): number {
  let [low, high] = [0, chunks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (chunks[middle]!.startTime <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
