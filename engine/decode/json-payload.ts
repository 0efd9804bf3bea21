import { utf8Text } from "@/engine/bytes";
import { RecordingError } from "@/engine/formats/recording-error";

const MAX_DEPTH = 64;
/** An integer that a double may not hold exactly, or a string; strings are matched only to skip them. */
const LONG_NUMBERS = /"(?:[^"\\]|\\.)*"|(?<![.\deE+-])-?\d{16,}(?![\d.eE])/g;
/** Finds every such integer of valid JSON, and some digits within strings. */
const MAY_BE_LONG = /(?:^|[[,:\s])-?\d{16,}(?=[\s,\]}]|$)/;
const MARK = "\u0000int:";

/** Decodes a JSON message. Integers of 16 digits and more become bigint when a number cannot hold them exactly. */
export function decodeJson(data: Uint8Array): unknown {
  checkDepth(data);
  const text = utf8Text(data);
  try {
    // Parsed first, because the search for numbers takes linear time only on valid JSON.
    const value: unknown = JSON.parse(text);
    if (!MAY_BE_LONG.test(text)) return value;
    const marked = text.replace(LONG_NUMBERS, (part) => {
      if (part.startsWith('"') || Number.isSafeInteger(Number(part))) return part;
      return JSON.stringify(`${MARK}${part}`);
    });
    return JSON.parse(marked, (_key, inner: unknown) =>
      typeof inner === "string" && inner.startsWith(MARK) ? exactInteger(inner) : inner,
    );
  } catch (error) {
    if (error instanceof SyntaxError) throw new RecordingError("A message is not valid JSON.");
    throw error;
  }
}

/** A string of the message may begin with the mark too; it stays a string unless digits follow. */
function exactInteger(marked: string): bigint | string {
  const digits = marked.slice(MARK.length);
  return /^-?\d{16,400}$/.test(digits) ? BigInt(digits) : marked;
}

/** Refuses deep nesting, because later code walks the decoded value recursively. */
function checkDepth(bytes: Uint8Array): void {
  let brackets = 0;
  // Both opening brackets differ in this one bit.
  for (let i = 0; i < bytes.length; i++) if ((bytes[i]! | 0x20) === 0x7b) brackets += 1;
  if (brackets <= MAX_DEPTH) return;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (inString) {
      if (byte === 0x5c) i += 1;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > MAX_DEPTH) throw new RecordingError("A message nests too deeply.");
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
}
