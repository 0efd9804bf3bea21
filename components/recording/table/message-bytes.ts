import { formatBytes, formatNumber } from "@/components/kit/format";

/** Bytes of one row, so that rows fit into a side panel and a phone. */
const perRow = 8;

interface BytesRow {
  /** The position of the first byte, and the bytes, in hexadecimal digits. */
  offset: string;
  hex: string;
  /** The bytes as ASCII; dots for what cannot be printed. */
  text: string;
}

const toHex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");

/** Bytes as rows of a listing. */
export function listBytes(bytes: Uint8Array): BytesRow[] {
  return Array.from({ length: Math.ceil(bytes.length / perRow) }, (_, row) => {
    const part = [...bytes.subarray(row * perRow, (row + 1) * perRow)];
    return {
      offset: toHex(row * perRow, 4),
      hex: part.map((byte) => toHex(byte, 2)).join(" "),
      text: part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join(""),
    };
  });
}

/** Encodings of which messages are read: where those of a topic are not, something else is wrong with them. */
const knownEncodings = new Set(["ros1", "cdr", "json", "protobuf", "cbor", "msgpack", "flatbuffer"]);

function nameMessages(encoding: string): string {
  if (encoding === "") return "Messages without an encoding";
  return knownEncodings.has(encoding) ? "The messages of this topic" : `"${encoding}" messages`;
}

/** Says of a topic that none of its messages can be read, how large they are and how often they come. */
export function describeUnread(encoding: string, sizes: readonly number[], hz: number): string {
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const size = least === most ? `${formatSize(least)} each` : `${formatSize(least)} to ${formatSize(most)} each`;
  const rate = hz > 0 ? `, ${formatNumber(hz, 1)} a second` : "";
  return `${nameMessages(encoding)} cannot be read; ${size}${rate}.`;
}

/** Small sizes to the byte: they tell types of messages apart. */
const formatSize = (bytes: number): string => (bytes < 10_000 ? `${formatNumber(bytes, 0)} bytes` : formatBytes(bytes));
