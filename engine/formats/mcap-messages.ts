import { toDataView } from "@/engine/bytes";
import type { RowFilter, Warnings } from "@/engine/formats/indexed-file";
import { MESSAGE_HEAD, Op, RECORD_HEAD } from "@/engine/formats/mcap-records";
import { MessageTable, type SlotNames } from "@/engine/formats/message-table";

/**
 * The wanted messages among the records of a chunk, as they are stored. `slots`: by the file's ids of channels; `table`:
 * one whose messages are not needed any more.
 */
export function scanMessages(
  data: Uint8Array,
  file: SlotNames,
  slots: ReadonlyMap<number, number>,
  filter: RowFilter,
  warnings: Warnings,
  table = new MessageTable(file, data, data.length >> 8),
): MessageTable {
  table.reset(data);
  const view = toDataView(data);
  const start = filter.start ?? 0n;
  const end = filter.end ?? 0x7fff_ffff_ffff_ffffn;
  const startHigh = Number(start >> 32n);
  const startLow = Number(start & 0xffff_ffffn);
  const endHigh = Number(end >> 32n);
  const endLow = Number(end & 0xffff_ffffn);
  const bySlot: number[] = [];
  for (const [id, slot] of slots) if (filter.slots === null || filter.slots[slot] === true) bySlot[id] = slot;
  let unknown = 0;
  let impossible = 0;
  // The loop of `eachRecord`, which a million calls of a function would slow down.
  for (let next = 0, at = RECORD_HEAD; at <= data.length; at = next + RECORD_HEAD) {
    const length = view.getUint32(at - 8, true);
    next = at + length;
    if (view.getUint32(at - 4, true) !== 0 || next > data.length) break;
    if (data[at - RECORD_HEAD] !== Op.Message || length < MESSAGE_HEAD) continue;
    const id = view.getUint16(at, true);
    const slot = bySlot[id];
    if (slot === undefined) {
      if (!slots.has(id)) unknown += 1;
      continue;
    }
    const high = view.getUint32(at + 10, true);
    const low = view.getUint32(at + 6, true);
    if (high > 0x7fff_ffff) {
      impossible += 1;
      continue;
    }
    if (high < startHigh || (high === startHigh && low < startLow)) continue;
    if (high > endHigh || (high === endHigh && low > endLow)) continue;
    const sequence = view.getUint32(at + 2, true);
    const publishedLow = view.getUint32(at + 14, true);
    const publishedHigh = view.getUint32(at + 18, true);
    table.add(slot, high, low, publishedHigh, publishedLow, sequence, at + MESSAGE_HEAD, length - MESSAGE_HEAD);
  }
  if (unknown > 0) warnings.addLoss("Messages of channels that the file does not define were left out.");
  if (impossible > 0) warnings.addLoss("Messages with a log time beyond the year 2262 were left out.");
  return table;
}
