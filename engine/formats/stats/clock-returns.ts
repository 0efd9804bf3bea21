import { isoFromNs } from "@/domain/time/nanoseconds";
import type { ChunkRef, IndexedFile } from "@/engine/formats/indexed-file";
import { toHalves } from "@/engine/formats/stats/time-lists";

/** Nanoseconds that messages may be stored late without a word: recorders that write in parallel swap chunks. */
const tolerated = 5e9;
/** Lists of times that are remembered of one file, 40 bytes each. */
const maxRemembered = 1_000_000;

/** The clock of a recorder went back `by` nanoseconds at the log time `at`: it was set, or a simulation began again. */
export interface ClockReturn {
  at: bigint;
  by: bigint;
}

/** What is remembered of the times of a channel in a chunk: the first two as stored (NaN without a second), the latest. */
const remembered = { rank: 0, slot: 1, first: 2, second: 3, latest: 4, width: 5 };

/** A file whose chunks do not follow each other in time. */
interface Disordered {
  /** The place of a chunk in the file. */
  ranks: ReadonlyMap<ChunkRef, number>;
  lists: number[];
}

/**
 * Finds where the log times of a channel go back and stay there, in the order in which a file stores its messages. Single
 * messages that come late are no return, nor is a file that stores one topic after the other.
 */
export class ClockReturns {
  private furthest = { at: 0, by: 0 };
  private readonly disordered = new Map<IndexedFile, Disordered>();

  constructor(files: readonly IndexedFile[]) {
    for (const file of files) {
      const stored = file.chunks
        .filter(({ startTime, endTime }) => startTime <= endTime)
        .sort((a, b) => a.offset - b.offset);
      let latest = 0;
      const isBack = stored.map(({ startTime, endTime }) => {
        const back = latest - Number(startTime);
        latest = Math.max(latest, Number(endTime));
        return back > tolerated;
      });
      if (!isBack.includes(true)) continue;
      this.disordered.set(file, { ranks: new Map(stored.map((chunk, rank) => [chunk, rank])), lists: [] });
    }
  }

  /** Adds the times of a channel in a chunk, in the order stored, with the earliest and the latest of them. */
  add(chunk: ChunkRef, slot: number, times: BigInt64Array, first: bigint, last: bigint): void {
    // Most chunks are shorter than what is tolerated.
    if (last - first > BigInt(tolerated)) this.lookInto(times);
    const { ranks, lists } = this.disordered.get(chunk.file) ?? {};
    const rank = ranks?.get(chunk);
    if (rank === undefined || lists === undefined || lists.length >= maxRemembered * remembered.width) return;
    lists.push(rank, slot, Number(times[0]), times.length > 1 ? Number(times[1]) : Number.NaN, Number(last));
  }

  /** Where the clock went back furthest, after the times of all chunks were added; null when it did not. */
  finish(): ClockReturn | null {
    for (const { lists } of this.disordered.values()) this.compareChunks(lists);
    const { at, by } = this.furthest;
    return by === 0 ? null : { at: BigInt(at), by: BigInt(by) };
  }

  private lookInto(times: BigInt64Array): void {
    const halves = toHalves(times);
    const subtract = (from: number, to: number): number =>
      (halves[from + 1]! - halves[to + 1]!) * 2 ** 32 + (halves[from]! - halves[to]!);
    let latest = 0;
    for (let i = 2; i + 2 < halves.length; i += 2) {
      const back = subtract(latest, i);
      if (back <= 0) latest = i;
      else if (back > tolerated && back > this.furthest.by && subtract(latest, i + 2) > tolerated)
        this.furthest = { at: Number(times[latest / 2]), by: back };
    }
  }

  private compareChunks(lists: readonly number[]): void {
    const { width } = remembered;
    const places = Array.from({ length: lists.length / width }, (_, n) => n * width);
    const channels = new Map<number, { latest: number; back: number }>();
    for (const place of places.sort((a, b) => lists[a]! - lists[b]!)) {
      const slot = lists[place + remembered.slot]!;
      let channel = channels.get(slot);
      if (channel === undefined) channels.set(slot, (channel = { latest: 0, back: 0 }));
      for (const time of [lists[place + remembered.first]!, lists[place + remembered.second]!]) {
        if (Number.isNaN(time)) continue;
        const { latest, back: before } = channel;
        const back = latest - time;
        channel.back = back > tolerated ? Math.max(back, before) : 0;
        if (before > 0 && channel.back > this.furthest.by) this.furthest = { at: latest, by: channel.back };
        channel.latest = Math.max(latest, time);
      }
      if (!Number.isNaN(lists[place + remembered.second]!)) channel.back = 0;
      channel.latest = Math.max(channel.latest, lists[place + remembered.latest]!);
    }
  }
}

export function describeReturn({ at, by }: ClockReturn): string {
  const seconds = (Number(by) / 1e9).toLocaleString("en", { maximumFractionDigits: 1 });
  return `The clock went back ${seconds} s at ${isoFromNs(at)}: what was recorded after that lies among what was recorded before.`;
}
