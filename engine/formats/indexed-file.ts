import type { AttachmentList } from "@/engine/formats/attachment";
import type { ChannelDefinition } from "@/engine/formats/channel-definition";
import type { MessageTable } from "@/engine/formats/message-table";
import type { Channel } from "@/engine/formats/recording";

/** One stored chunk (or a run of messages outside chunks), as the index or a scan of the headers describes it. */
export interface ChunkRef {
  file: IndexedFile;
  /** Position and length in the file, the record's own header included. */
  offset: number;
  length: number;
  /** Where this chunk's message index lies; zero length when there is none to rely on. */
  indexOffset: number;
  indexLength: number;
  uncompressedBytes: number;
  /** Log times of its first and last message, nanoseconds; start > end for a chunk that holds none. */
  startTime: bigint;
  endTime: bigint;
  /** The channels (as slots of the file) with messages in it; null when unknown. */
  slots: ReadonlySet<number> | null;
}

/** Lists the chunks that can be read; those over a limit become lost ranges of the file, each with a warning. */
export function leaveOut<T extends ChunkRef & { excess: string | null }>(
  chunks: readonly T[],
  file: IndexedFile,
  warnings: Warnings,
): T[] {
  return chunks.filter((chunk) => {
    if (chunk.excess === null) return true;
    warnings.addLoss(`The chunk at byte ${chunk.offset.toLocaleString("en")} ${chunk.excess}.`);
    file.lost.push({ chunk, offset: chunk.offset, startTime: chunk.startTime, endTime: chunk.endTime });
    return false;
  });
}

/** Sets of numbers of which equal ones are one: a million chunks of one channel share theirs. */
export class SharedSets {
  private readonly known = new Map<string, ReadonlySet<number>>();

  get(values: Iterable<number>): ReadonlySet<number> {
    const list = [...values];
    const key = list.join();
    let set = this.known.get(key);
    if (set === undefined) this.known.set(key, (set = new Set(list)));
    return set;
  }
}

/** Log times, nanoseconds, within which messages are missing because a chunk could not be read. */
export interface LostRange {
  chunk: ChunkRef;
  /** Of the chunk in the file; of one of them where several are treated as one. */
  offset: number;
  startTime: bigint;
  endTime: bigint;
}

/** Which messages a caller wants; times in nanoseconds, both ends included. */
export interface RowFilter {
  /** By slot; null for all. */
  slots: readonly boolean[] | null;
  start: bigint | null;
  end: bigint | null;
}

/** Log times of one chunk's messages by slot, in the order stored. */
export type ChunkTimes = Map<number, BigInt64Array>;

/** A range of nanoseconds that holds nothing: its start lies after its end. */
export function emptyRange(): { start: bigint; end: bigint } {
  return { start: 0x7fff_ffff_ffff_ffffn, end: -1n };
}

/** Chunks whose bytes are requested before their turn comes. */
export const chunksAhead = 3;

/** Stored chunks turned out not to be those that the index of their file lists: `verify` reads them anew. */
export class WrongIndex extends Error {}

/** A file whose chunks and channels are known. The formats implement it; the merge and the statistics only see this. */
export interface IndexedFile {
  readonly format: "mcap" | "rosbag";
  readonly chunks: ChunkRef[];
  /** The file's definitions of its channels, by slot. */
  readonly definitions: ChannelDefinition[];
  /** The recording's channel by slot, and the rank of its topic among all topics; filled in by the reader. */
  channels: (Channel | undefined)[];
  ranks: number[];
  truncated: boolean;
  /** Nanoseconds up to which a cut-off file is known to have been written; null when unknown. */
  truncatedEnd: bigint | null;
  /** Chunks found completely or partly unreadable while reading. */
  readonly lost: LostRange[];
  /** What a recorder wrote beside the messages. */
  readonly attachments: AttachmentList;
  /**
   * Requests the bytes that `load` or `times` of a chunk will read soon; `until`: for `load`, with all that lies before
   * the end of another one.
   */
  prepare(chunk: ChunkRef, what: "load" | "times", until?: ChunkRef): void;
  /**
   * Has another thread, if there is one, unpack a chunk that `load` will be asked for unsorted, in the order of the calls.
   * False when the chunk is read where it is loaded.
   */
  begin(chunk: ChunkRef, filter: RowFilter): boolean;
  /**
   * Decompresses one chunk and lists the requested messages; `sorted` false leaves them as they are stored, in memory
   * that is used for the next chunk. May reject once `signal` is aborted.
   */
  load(chunk: ChunkRef, filter: RowFilter, sorted?: boolean, signal?: AbortSignal): Promise<MessageTable>;
  /** Gives back the memory of the chunk that was loaded last, unsorted. */
  release(): void;
  /** How many chunks before its turn comes a chunk may be prepared for `times`. */
  timesAhead(chunk: ChunkRef): number;
  /**
   * Log times per channel, from the message index where there is one, else by decompression. Corrects the chunk's
   * range. Throws WrongIndex.
   */
  times(chunk: ChunkRef): Promise<ChunkTimes>;
  /**
   * Checks the index against the stored chunks, those that `times` does not check, and rebuilds it by a scan of the file
   * when the two disagree. `counted` is the number of messages the index led to, or null before anything was counted.
   */
  verify(counted: number | null): Promise<boolean>;
  /** Where its chunks lie and what they hold, as far as that is known by now. */
  toPacked(): PackedFile;
}

/** Where the chunks of one file lie and what they hold, as known after the file was read: what replaces its index. */
export interface PackedFile {
  /** What the caller knows the file by. */
  id: string;
  format: "mcap" | "rosbag";
  definitions: ChannelDefinition[];
  /** The file's number of a channel, and its slot: the place in `definitions`. */
  slots: [id: number, slot: number][];
  chunks: PackedChunk[];
}

/** What differs between formats is in `form`, which only the format's own reader knows. */
export type PackedChunk = Omit<ChunkRef, "file" | "indexOffset" | "indexLength"> & { form: number };

/** What a pack keeps of a chunk in any format. */
export const pickRef = ({ offset, length, uncompressedBytes, startTime, endTime, slots }: Omit<ChunkRef, "file">) => ({
  offset,
  length,
  uncompressedBytes,
  startTime,
  endTime,
  slots,
});

/** The distinct problems of a recording that did not prevent reading it. */
export class Warnings {
  private readonly seen = new Set<string>();
  private dropped = 0;

  /** The first of the warnings that tell of messages that could not be read; null when there is none. */
  loss: string | null = null;

  /** Adds a warning of messages that could not be read: the error of a recording of which nothing could. */
  addLoss(text: string): void {
    this.loss ??= text;
    this.add(text);
  }

  add(text: string): void {
    if (this.seen.size < 50 || this.seen.has(text)) this.seen.add(text);
    else this.dropped += 1;
  }

  list(): string[] {
    const list = [...this.seen];
    return this.dropped > 0 ? [...list, `${this.dropped} more warnings were left out.`] : list;
  }
}
