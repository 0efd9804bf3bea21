import {
  chunksAhead,
  type ChunkRef,
  type IndexedFile,
  type RowFilter,
  type Warnings,
} from "@/engine/formats/indexed-file";
import type { Allowance } from "@/engine/formats/limits";
import { compareRows, type MessageTable } from "@/engine/formats/message-table";
import { RunHeap, type Run } from "@/engine/formats/reader/run-heap";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";

const BATCH = 1024;
/** Bytes of a table's row beside its payload. */
const ROW_BYTES = 32;

export interface MergeOptions {
  files: readonly IndexedFile[];
  filters: ReadonlyMap<IndexedFile, RowFilter>;
  allowance: Allowance;
  warnings: Warnings;
}

/** A chunk still to be read; `from` is set when its messages before that row have been yielded already. */
interface Waiting {
  chunk: ChunkRef;
  startTime: bigint;
  from: Cut | null;
}

/** A message's position in the reading order, without its chunk. */
interface Cut {
  table: MessageTable;
  time: bigint;
}

/**
 * Yields all messages of all chunks in reading order. Chunks are decompressed in the order of their start times;
 * messages before the start of the next chunk are final, and chunks without overlap are decompressed once. When more
 * bytes overlap than may be held, messages after a cut are dropped and their chunks read again in the next pass.
 */
export async function* mergeChunks(options: MergeOptions): AsyncGenerator<RawMessage[]> {
  const { files, filters, allowance } = options;
  const wanted = files.flatMap((file) => file.chunks.filter((chunk) => isWanted(chunk, filters.get(file))));
  let waiting: Waiting[] = wanted.map((chunk) => ({ chunk, startTime: chunk.startTime, from: null }));
  const progress = { yieldedTo: -1n };
  while (waiting.length > 0) {
    waiting.sort((a, b) => (a.startTime < b.startTime ? -1 : a.startTime > b.startTime ? 1 : 0));
    const pass = new Pass(options, progress);
    let next = 0;
    for (; next < waiting.length; next++) {
      const entry = waiting[next]!;
      if (pass.cut !== null && entry.startTime > pass.cut.time) break;
      allowance.checkTime();
      const ahead = waiting[next + chunksAhead]?.chunk;
      ahead?.file.prepare(ahead, "load");
      await pass.read(entry);
      yield* pass.batches(waiting[next + 1]?.startTime ?? null);
      pass.shrink();
    }
    yield* pass.batches(null);
    if (pass.cut !== null) progress.yieldedTo = pass.cut.time;
    waiting = [...pass.again.values(), ...waiting.slice(next)];
  }
}

function isWanted(chunk: ChunkRef, filter: RowFilter | undefined): boolean {
  if (filter === undefined || chunk.startTime > chunk.endTime) return false;
  if (filter.start !== null && chunk.endTime < filter.start) return false;
  if (filter.end !== null && chunk.startTime > filter.end) return false;
  const { slots } = filter;
  return slots === null || chunk.slots === null || [...chunk.slots].some((slot) => slots[slot] === true);
}

class Pass {
  cut: Cut | null = null;
  readonly again = new Map<ChunkRef, Waiting>();
  private readonly heap = new RunHeap();
  private held = 0;

  constructor(
    private readonly options: MergeOptions,
    /** `yieldedTo`: everything before this time was yielded, nanoseconds. */
    private readonly progress: { yieldedTo: bigint },
  ) {}

  async read(entry: Waiting): Promise<void> {
    const { chunk, from } = entry;
    const filter = this.options.filters.get(chunk.file)!;
    const table = await chunk.file.load(chunk, filter);
    let at = from === null ? 0 : firstNotBefore(table, from.table);
    const first = at;
    while (at < table.count && table.time(at) < this.progress.yieldedTo) at += 1;
    if (at > first)
      this.options.warnings.add("Messages outside the time range that their chunk declares were left out.");
    const end = this.cut === null ? table.count : firstNotBefore(table, this.cut.table);
    if (end < table.count) this.readAgain(chunk);
    if (at >= end) return;
    // When only a few messages of a chunk are held, its other bytes are released.
    if ((end - at) * 2 > table.count) this.hold({ table, at, end, chunk, bytes: 0 });
    else this.hold({ table: table.compact(at, end), at: 0, end: end - at, chunk, bytes: 0 });
  }

  private readAgain(chunk: ChunkRef): void {
    const from = this.cut!;
    this.again.set(chunk, { chunk, startTime: from.time > chunk.startTime ? from.time : chunk.startTime, from });
  }

  private hold(run: Run): void {
    run.bytes = run.table.data.length + (run.end - run.at) * ROW_BYTES;
    this.held += run.bytes;
    this.heap.push(run);
  }

  /** All messages before a time, in batches; null yields everything held. */
  async *batches(before: bigint | null): AsyncGenerator<RawMessage[]> {
    let batch: RawMessage[] = [];
    const high = before === null ? Infinity : Number(before >> 32n);
    const low = before === null ? Infinity : Number(before & 0xffff_ffffn);
    if (before !== null && before > this.progress.yieldedTo) this.progress.yieldedTo = before;
    for (
      let run = this.heap.top();
      run !== null && run.table.compareTime(run.at, high, low) < 0;
      run = this.heap.top()
    ) {
      const next = this.heap.second();
      const { table } = run;
      do {
        const message = table.message(run.at);
        if (message !== null) batch.push(message);
        run.at += 1;
        if (batch.length >= BATCH) {
          yield batch;
          batch = [];
        }
      } while (
        run.at < run.end &&
        table.compareTime(run.at, high, low) < 0 &&
        (next === null || compareRows(table, run.at, next.table, next.at) <= 0)
      );
      if (run.at === run.end) {
        this.heap.pop();
        this.held -= run.bytes;
      } else this.heap.sink();
    }
    if (batch.length > 0) yield batch;
  }

  /**
   * Reduces the held bytes to the limit: drops those already yielded, then the latest messages. Each pass thus yields
   * at least half of the limit.
   */
  shrink(): void {
    const cap = this.options.allowance.mergeBytes;
    if (this.held <= cap || this.heap.size < 2) return;
    this.compact(null);
    if (this.held <= cap) return;
    const runs = this.heap.drain();
    const cut = findMiddle(runs, cap / 2);
    if (cut === null) throw new RecordingError("Too many identical messages carry the same time to be put in order.");
    for (const run of runs) this.heap.push(run);
    this.cut = cut;
    // Chunks to be read again from a later cut of this pass now also miss their messages after the new one.
    for (const chunk of this.again.keys()) this.readAgain(chunk);
    this.compact(cut);
  }

  /** Copies what is still needed, messages from the cut on left out, so that the chunks' own bytes are released. */
  private compact(cut: Cut | null): void {
    const runs = this.heap.drain();
    this.held = 0;
    for (const run of runs) {
      const end = cut === null ? run.end : Math.min(run.end, firstNotBefore(run.table, cut.table));
      if (end < run.end) this.readAgain(run.chunk);
      if (run.at >= end) continue;
      this.hold({ ...run, table: run.table.compact(run.at, end), at: 0, end: end - run.at });
    }
  }
}

/** The message at which the runs exceed `bytes` in reading order; null when all messages are equal. */
function findMiddle(runs: readonly Run[], bytes: number): Cut | null {
  const heap = new RunHeap();
  for (const run of runs) heap.push({ ...run });
  const first = heap.top()!;
  const start = { table: first.table, row: first.at };
  let sum = 0;
  for (let run = heap.top(); run !== null; run = heap.top()) {
    sum += run.table.length(run.at) + ROW_BYTES;
    if (sum > bytes && compareRows(run.table, run.at, start.table, start.row) > 0) {
      const table = run.table.compact(run.at, run.at + 1);
      return { table, time: table.time(0) };
    }
    run.at += 1;
    if (run.at === run.end) heap.pop();
    else heap.sink();
  }
  return null;
}

/** The first row of a sorted table that does not come before the (one) row of `cut`. */
function firstNotBefore(table: MessageTable, cut: MessageTable): number {
  let low = 0;
  let high = table.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareRows(table, middle, cut, 0) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
