import { toDataView } from "@/engine/bytes";
import type { RowFilter, Warnings } from "@/engine/formats/indexed-file";
import { MESSAGE_HEAD, Op, RECORD_HEAD } from "@/engine/formats/mcap/mcap-records";
import type { MessageTable } from "@/engine/formats/message-table";

/** Of a chunk that was decompressed as a whole. */
export const brokenChunk = "A chunk holds a damaged record; what follows it in the chunk was left out.";

/** Messages that no table can hold. */
export interface LeftOut {
  /** Of channels that the file does not define. */
  unknown: number;
  /** With an impossible log time. */
  impossible: number;
  /** 1 where a record does not end with the others, so that those behind it cannot be found; else 0. */
  broken: number;
}

/** The slots of a file by its ids of channels, which have 16 bits; -1 for an id that it does not define. */
export function toSlotTable(slots: ReadonlyMap<number, number>): Int32Array {
  let most = -1;
  for (const id of slots.keys()) most = Math.max(most, id);
  const table = new Int32Array(most + 1).fill(-1);
  for (const [id, slot] of slots) table[id] = slot;
  return table;
}

/** Records looked at between two calls. */
const stride = 512;

/** Log times of wanted messages, both included, in halves of 32 bits. */
interface TimeHalves {
  startHigh: number;
  startLow: number;
  endHigh: number;
  endLow: number;
}

/** Puts the wanted messages among the records of a chunk, which a table is to be of, into it as they are stored. */
export function scanMessages(table: MessageTable, slots: Int32Array, filter: RowFilter): LeftOut {
  const view = toDataView(table.data);
  const start = filter.start ?? 0n;
  const end = filter.end ?? 0x7fff_ffff_ffff_ffffn;
  const range = {
    startHigh: Number(start >> 32n),
    startLow: Number(start & 0xffff_ffffn),
    endHigh: Number(end >> 32n),
    endLow: Number(end & 0xffff_ffffn),
  };
  const leftOut = { unknown: 0, impossible: 0, broken: 0 };
  // A loop over all of a chunk would be compiled while it runs, and given up at its end: in a thread, of each chunk.
  for (let at: number | null = 0; at !== null;) at = scanSome(table, view, at, slots, filter.slots, range, leftOut);
  return leftOut;
}

/** Scans records from a position on; returns where the next ones begin, null at the end. */
function scanSome(
  table: MessageTable,
  view: DataView,
  from: number,
  slots: Int32Array,
  wanted: RowFilter["slots"],
  { startHigh, startLow, endHigh, endLow }: TimeHalves,
  leftOut: LeftOut,
): number | null {
  const { data } = table;
  let next = from;
  // The loop of `eachRecord`, which a million calls of a function would slow down.
  for (let count = 0; count < stride; count++) {
    const at = next + RECORD_HEAD;
    if (at > data.length) {
      if (next < data.length) leftOut.broken = 1;
      return null;
    }
    const length = view.getUint32(at - 8, true);
    next = at + length;
    if (view.getUint32(at - 4, true) !== 0 || next > data.length) {
      leftOut.broken = 1;
      return null;
    }
    if (data[at - RECORD_HEAD] !== Op.Message || length < MESSAGE_HEAD) continue;
    const slot = slots[view.getUint16(at, true)];
    if (slot === undefined || slot < 0) {
      leftOut.unknown += 1;
      continue;
    }
    if (wanted !== null && wanted[slot] !== true) continue;
    const high = view.getUint32(at + 10, true);
    const low = view.getUint32(at + 6, true);
    if (high > 0x7fff_ffff) {
      leftOut.impossible += 1;
      continue;
    }
    if (high < startHigh || (high === startHigh && low < startLow)) continue;
    if (high > endHigh || (high === endHigh && low > endLow)) continue;
    const sequence = view.getUint32(at + 2, true);
    const publishedLow = view.getUint32(at + 14, true);
    const publishedHigh = view.getUint32(at + 18, true);
    table.add(slot, high, low, publishedHigh, publishedLow, sequence, at + MESSAGE_HEAD, length - MESSAGE_HEAD);
  }
  return next;
}

/** `isPart`: the end of the records is known to be missing. */
export function warnOfLeftOut({ unknown, impossible, broken }: LeftOut, warnings: Warnings, isPart = false): void {
  if (broken > 0 && !isPart) warnings.addLoss(brokenChunk);
  if (unknown > 0) warnings.addLoss("Messages of channels that the file does not define were left out.");
  if (impossible > 0) warnings.addLoss("Messages with a log time beyond the year 2262 were left out.");
}
