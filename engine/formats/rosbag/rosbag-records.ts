import { latin1Text, utf8Bytes, toDataView } from "@/engine/bytes";

/** Reads the records of ROS bags, version 2.0 (http://wiki.ros.org/Bags/Format/2.0), out of bytes already in memory. */

export const BAG_MAGIC = utf8Bytes("#ROSBAG V2.0\n");

export const BagOp = { Message: 2, BagHeader: 3, IndexData: 4, Chunk: 5, ChunkInfo: 6, Connection: 7 } as const;

/** Header fields of a record: `name=value`, values as bytes. */
export type BagFields = Map<string, Uint8Array>;

/** Reads the fields of a record's header; malformed ones are left out. */
export function readFields(header: Uint8Array): BagFields {
  const fields: BagFields = new Map();
  const view = toDataView(header);
  let at = 0;
  while (at + 4 <= header.length) {
    const length = view.getUint32(at, true);
    const end = at + 4 + length;
    if (end > header.length) break;
    const field = header.subarray(at + 4, end);
    const equals = field.indexOf(0x3d);
    if (equals > 0) fields.set(latin1Text(field.subarray(0, equals)), field.subarray(equals + 1));
    at = end;
  }
  return fields;
}

export function fieldU32(fields: BagFields, name: string): number | null {
  const value = fields.get(name);
  return value?.length === 4 ? toDataView(value).getUint32(0, true) : null;
}

export function fieldSize(fields: BagFields, name: string): number | null {
  const value = fields.get(name);
  if (value?.length !== 8) return null;
  const view = toDataView(value);
  return view.getUint32(4, true) * 0x1_0000_0000 + view.getUint32(0, true);
}

export function readOpcode(fields: BagFields): number {
  return fields.get("op")?.[0] ?? 0;
}

/** Nanoseconds of a bag's time, 32 bits of seconds and 32 of nanoseconds. */
export function bagTime(view: DataView, at: number): bigint {
  return BigInt(view.getUint32(at, true)) * 1_000_000_000n + BigInt(view.getUint32(at + 4, true));
}

/** The same as two halves of 32 bits, without bigint arithmetic: every product below stays under 2^53. */
export function bagTimeHalves(seconds: number, nanoseconds: number): { high: number; low: number } {
  const upper = (seconds >>> 16) * 1_000_000_000;
  const lower = (seconds & 0xffff) * 1_000_000_000 + nanoseconds;
  const low = (upper % 65_536) * 65_536 + lower;
  return { high: Math.floor(upper / 65_536) + Math.floor(low / 0x1_0000_0000), low: low % 0x1_0000_0000 };
}

const indexEntryBytes = 12;

/** The log times that an index record lists of one connection's messages; null where its count is not that of its data. */
export function readIndexTimes(data: Uint8Array, header: BagFields): BigInt64Array | null {
  const count = fieldU32(header, "count");
  if (count === null || count * indexEntryBytes !== data.length) return null;
  const view = toDataView(data);
  const times = new BigInt64Array(count);
  for (let i = 0; i < count; i++) times[i] = bagTime(view, i * indexEntryBytes);
  return times;
}

/**
 * Calls `visit` for every complete record in `bytes`, with where header and data lie. Returns false when the last one
 * is cut off, having visited all before it.
 */
export function eachBagRecord(
  bytes: Uint8Array,
  visit: (headerAt: number, headerLength: number, dataAt: number, dataLength: number) => void,
): boolean {
  const view = toDataView(bytes);
  const end = bytes.length;
  let at = 0;
  while (at + 8 <= end) {
    const headerLength = view.getUint32(at, true);
    const dataAt = at + 8 + headerLength;
    if (dataAt > end) return false;
    const dataLength = view.getUint32(dataAt - 4, true);
    if (dataAt + dataLength > end) return false;
    visit(at + 4, headerLength, dataAt, dataLength);
    at = dataAt + dataLength;
  }
  return at === end;
}
