import { toDataView } from "@/engine/bytes";
import type { RowFilter, Warnings } from "@/engine/formats/indexed-file";
import { eachRecord, MESSAGE_HEAD, Op } from "@/engine/formats/mcap-records";
import { MessageTable, type SlotNames } from "@/engine/formats/message-table";

/** The wanted messages among the records of a chunk, as they are stored. `slots`: by the file's ids of channels. */
export function scanMessages(
  data: Uint8Array,
  file: SlotNames,
  slots: ReadonlyMap<number, number>,
  filter: RowFilter,
  warnings: Warnings,
): MessageTable {
  const table = new MessageTable(file, data, data.length >> 8);
  const view = toDataView(data);
  const start = filter.start ?? 0n;
  const end = filter.end ?? 0x7fff_ffff_ffff_ffffn;
  const startHigh = Number(start >> 32n);
  const startLow = Number(start & 0xffff_ffffn);
  const endHigh = Number(end >> 32n);
  const endLow = Number(end & 0xffff_ffffn);
  let unknown = 0;
  let impossible = 0;
  eachRecord(data, (op, at, length) => {
    if (op !== Op.Message || length < MESSAGE_HEAD) return;
    const slot = slots.get(view.getUint16(at, true));
    if (slot === undefined) {
      unknown += 1;
      return;
    }
    if (filter.slots !== null && filter.slots[slot] !== true) return;
    const high = view.getUint32(at + 10, true);
    const low = view.getUint32(at + 6, true);
    if (high > 0x7fff_ffff) {
      impossible += 1;
      return;
    }
    if (high < startHigh || (high === startHigh && low < startLow)) return;
    if (high > endHigh || (high === endHigh && low > endLow)) return;
    const sequence = view.getUint32(at + 2, true);
    const publishedLow = view.getUint32(at + 14, true);
    const publishedHigh = view.getUint32(at + 18, true);
    table.add(slot, high, low, publishedHigh, publishedLow, sequence, at + MESSAGE_HEAD, length - MESSAGE_HEAD);
  });
  if (unknown > 0) warnings.addLoss("Messages of channels that the file does not define were left out.");
  if (impossible > 0) warnings.addLoss("Messages with a log time beyond the year 2262 were left out.");
  return table;
}
