import { Decoder, decodeTimestampToTimeSpec } from "@msgpack/msgpack";
import { plainBytes, toDataView } from "@/engine/bytes";
import { ValueCount } from "@/engine/decode/payload-values";
import { RecordingError } from "@/engine/formats/recording-error";

/** The type of extension that is a time. */
const TIMESTAMP = -1;

const decoder = new Decoder({
  useBigInt64: true,
  // Keys of one recording must not stay in a cache that all share.
  keyDecoder: null,
  mapKeyConverter: textKey,
  extensionCodec: {
    tryToEncode: () => null,
    /** Times become {sec, nsec}; any other extension stays bytes. */
    decode: (data, type) =>
      type === TIMESTAMP && [4, 8, 12].includes(data.length) ? decodeTimestampToTimeSpec(data) : data,
  },
});

/**
 * Decodes a MessagePack message. Integers are bigint where a number cannot hold them exactly; keys that are numbers or
 * booleans become texts; timestamps are {sec, nsec}, other extensions bytes. Throws a RecordingError for anything else,
 * for deep nesting and for too many values.
 */
export function decodeMsgpack(data: Uint8Array): unknown {
  const bytes = plainBytes(data);
  // The library allocates a list by the length that it claims, so all lengths are checked first.
  const wide = checkValues(bytes);
  try {
    const value = decoder.decode(bytes);
    return wide ? shortenIntegers(value) : value;
  } catch {
    throw new RecordingError("A message is not valid MessagePack.");
  }
}

function textKey(key: unknown): string {
  if (typeof key === "string" || typeof key === "number" || typeof key === "bigint" || typeof key === "boolean") {
    return String(key);
  }
  throw new RecordingError("A message has a key that is no text.");
}

/** Bytes behind the first one of values of a fixed size, from 0xca: floats, then integers. */
const NUMBER_BYTES = [4, 8, 1, 2, 4, 8, 1, 2, 4, 8];

/** Walks a message without decoding it; returns whether it has 64-bit integers. Refuses what is not complete. */
function checkValues(bytes: Uint8Array): boolean {
  const view = toDataView(bytes);
  const count = new ValueCount();
  let at = 0;
  let wide = false;
  /** Reads a length of 1, 2 or 4 bytes; beyond the end a RangeError. */
  const length = (size: number): number => {
    const from = at;
    at += size;
    return size === 1 ? view.getUint8(from) : size === 2 ? view.getUint16(from) : view.getUint32(from);
  };
  const skip = (size: number): void => {
    at += size;
  };
  try {
    do {
      const head = view.getUint8(at++);
      count.take();
      if (head < 0x80 || head >= 0xe0 || head === 0xc0 || head === 0xc2 || head === 0xc3) {
        // The value is in this byte.
      } else if (head < 0x90) count.enter(2 * (head & 15), true);
      else if (head < 0xa0) count.enter(head & 15, false);
      else if (head < 0xc0) skip(head & 31);
      else if (head >= 0xc4 && head <= 0xc6) skip(length(1 << (head - 0xc4)));
      else if (head >= 0xc7 && head <= 0xc9) skip(length(1 << (head - 0xc7)) + 1);
      else if (head >= 0xca && head <= 0xd3) {
        skip(NUMBER_BYTES[head - 0xca]!);
        wide ||= head === 0xcf || head === 0xd3;
      } else if (head >= 0xd4 && head <= 0xd8) skip(1 + (1 << (head - 0xd4)));
      else if (head >= 0xd9 && head <= 0xdb) skip(length(1 << (head - 0xd9)));
      else if (head === 0xdc || head === 0xdd) count.enter(length(head === 0xdc ? 2 : 4), false);
      else if (head === 0xde || head === 0xdf) count.enter(2 * length(head === 0xde ? 2 : 4), true);
      else throw new RangeError("A byte that begins no value.");
      count.close();
    } while (!count.closed);
  } catch (error) {
    if (error instanceof RangeError) throw new RecordingError("A message is not valid MessagePack.");
    throw error;
  }
  if (at !== bytes.length) throw new RecordingError("A message is not valid MessagePack.");
  return wide;
}

/** Makes numbers of the 64-bit integers that a number holds exactly, in place. */
function shortenIntegers(value: unknown): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) members[key] = shortenIntegers(members[key]);
  return value;
}
