import { decode, Token, Tokenizer, Type, type TagDecodeControl } from "cborg";
import { plainBytes } from "@/engine/bytes";
import { ValueCount } from "@/engine/decode/payload-values";
import { RecordingError } from "@/engine/formats/recording-error";

/** Bytes of an integer of any length that is decoded as one; longer ones stay bytes. */
const MAX_INTEGER_BYTES = 64;

type TagDecoder = (content: TagDecodeControl) => unknown;

/** The tags whose content becomes another value; all other tags are left out, their content stays as it is. */
const tags: Record<number, TagDecoder> = {
  2: (content) => longInteger(content(), (value) => value),
  3: (content) => longInteger(content(), (value) => -1n - value),
};
/** Typed arrays of RFC 8746: the tag, the size of an element in bytes, big-endian or not, how one is read. */
const elements: [tag: number, size: number, read: (view: DataView, at: number, little: boolean) => number | bigint][] =
  [
    [65, 2, (view, at, little) => view.getUint16(at, little)],
    [66, 4, (view, at, little) => view.getUint32(at, little)],
    [67, 8, (view, at, little) => view.getBigUint64(at, little)],
    [73, 2, (view, at, little) => view.getInt16(at, little)],
    [74, 4, (view, at, little) => view.getInt32(at, little)],
    [75, 8, (view, at, little) => view.getBigInt64(at, little)],
    [81, 4, (view, at, little) => view.getFloat32(at, little)],
    [82, 8, (view, at, little) => view.getFloat64(at, little)],
  ];
for (const [tag, size, read] of elements) {
  tags[tag] = (content) => typedArray(content(), size, (view, at) => read(view, at, false));
  // The same type with its bytes in the other order lies four tags further.
  tags[tag + 4] = (content) => typedArray(content(), size, (view, at) => read(view, at, true));
}
tags[72] = (content) => typedArray(content(), 1, (view, at) => view.getInt8(at));

/**
 * Decodes a CBOR message (RFC 8949). Integers are bigint where a number cannot hold them exactly; keys that are numbers
 * or booleans become texts; of tags, long integers and typed arrays are known. Throws a RecordingError for anything
 * else, for deep nesting and for too many values.
 */
export function decodeCbor(data: Uint8Array): unknown {
  const bytes = plainBytes(data);
  const options = { tags, allowBigInt: true, allowUndefined: true, coerceUndefinedToNull: true };
  try {
    return decode(bytes, { ...options, tokenizer: new LimitedTokens(bytes, options) });
  } catch (error) {
    if (error instanceof RecordingError) throw error;
    throw new RecordingError("A message is not valid CBOR.");
  }
}

/** Reads the tokens of a message: counts them, leaves out unknown tags and makes texts of the keys of maps. */
class LimitedTokens extends Tokenizer {
  private readonly count = new ValueCount();

  override next(): Token {
    const { count } = this;
    let token = super.next();
    while (token.type.name === Type.tag.name && !(Number(token.value) in tags)) token = super.next();
    switch (token.type.name) {
      case Type.break.name:
        count.leave();
        count.close();
        return token;
      case Type.array.name:
        count.take();
        count.enter(Number(token.value), false);
        break;
      case Type.map.name:
        count.take();
        count.enter(2 * Number(token.value), true);
        break;
      case Type.tag.name:
        // What it tags is decoded by a further call.
        count.take();
        count.enter(1, false);
        break;
      default:
        if (count.isKey && token.type.name !== Type.bytes.name) {
          token = new Token(Type.string, String(token.value), token.encodedLength);
        }
        count.take();
    }
    count.close();
    return token;
  }
}

function longInteger(content: unknown, sign: (value: bigint) => bigint): unknown {
  if (!(content instanceof Uint8Array) || content.length > MAX_INTEGER_BYTES) return content;
  let value = 0n;
  for (const byte of content) value = (value << 8n) | BigInt(byte);
  const signed = sign(value);
  const number = Number(signed);
  return Number.isSafeInteger(number) ? number : signed;
}

/** The elements of a typed array, or its content where that is no such array. */
function typedArray(content: unknown, size: number, read: (view: DataView, at: number) => number | bigint): unknown {
  if (!(content instanceof Uint8Array) || content.length % size !== 0) return content;
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  return Array.from({ length: content.length / size }, (_, i) => read(view, i * size));
}
