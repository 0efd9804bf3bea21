import { emptyRange, type ChunkTimes } from "@/engine/formats/indexed-file";
import { eachRecord, Malformed, Op, readMessageIndex } from "@/engine/formats/mcap/mcap-records";
import { widenBy } from "@/engine/formats/stats/time-lists";

/**
 * The times in the message indexes of a chunk and their range, nanoseconds; null when they cannot be used. `slots`: the
 * file's channels by their numbers.
 */
export function readListedTimes(
  bytes: Uint8Array,
  slots: ReadonlyMap<number, number>,
): { times: ChunkTimes; range: { start: bigint; end: bigint } } | null {
  const times: ChunkTimes = new Map();
  const range = emptyRange();
  let usable = true;
  try {
    eachRecord(bytes, (op, at, length) => {
      if (op !== Op.MessageIndex) return;
      const listed = readMessageIndex(bytes.subarray(at, at + length));
      if (listed.times.length === 0) return;
      const slot = slots.get(listed.channelId);
      if (slot === undefined || times.has(slot)) usable = false;
      else times.set(slot, listed.times);
      if (widenBy(range, listed.times).negative) usable = false;
    });
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    usable = false;
  }
  return usable ? { times, range } : null;
}
