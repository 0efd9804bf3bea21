import { toDataView } from "@/engine/bytes";

/** `table[256 * n + byte]`: what a byte does to the checksum n bytes further on, so that eight are taken in a step. */
const table = new Uint32Array(8 * 256);
for (let byte = 0; byte < 256; byte++) {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb8_8320 : value >>> 1;
  table[byte] = value;
}
for (let at = 256; at < table.length; at++) table[at] = (table[at - 256]! >>> 8) ^ table[table[at - 256]! & 0xff]!;

/** The CRC-32 of zip and MCAP, unsigned; `before`: that of the bytes before these. */
export function crc32(bytes: Uint8Array, before = 0): number {
  const view = toDataView(bytes);
  const { length } = bytes;
  let crc = ~before;
  let at = 0;
  for (; at + 8 <= length; at += 8) {
    const low = view.getInt32(at, true) ^ crc;
    const high = view.getInt32(at + 4, true);
    crc =
      table[1792 + (low & 0xff)]! ^
      table[1536 + ((low >>> 8) & 0xff)]! ^
      table[1280 + ((low >>> 16) & 0xff)]! ^
      table[1024 + (low >>> 24)]! ^
      table[768 + (high & 0xff)]! ^
      table[512 + ((high >>> 8) & 0xff)]! ^
      table[256 + ((high >>> 16) & 0xff)]! ^
      table[high >>> 24]!;
  }
  for (; at < length; at++) crc = (crc >>> 8) ^ table[(crc ^ bytes[at]!) & 0xff]!;
  return ~crc >>> 0;
}
