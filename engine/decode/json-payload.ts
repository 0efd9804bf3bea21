import { utf8Text } from "@/engine/bytes";
import { RecordingError } from "@/engine/formats/recording-error";

const MAX_DEPTH = 64;
/** Members of all objects of a message. Each takes a hundred times its bytes in memory, and its time. */
const MAX_MEMBERS = 250_000;
/** An integer that a double may not hold exactly, or a string; strings are matched only to skip them. */
const LONG_NUMBERS = /"(?:[^"\\]|\\.)*"|(?<![.\deE+-])-?\d{16,}(?![\d.eE])/g;
/** Finds every such integer of valid JSON, and some digits within strings. */
const MAY_BE_LONG = /(?:^|[[,:\s])-?\d{16,}(?=[\s,\]}]|$)/;
/** Begins the texts that stand for numbers while a message is parsed. */
const MARK = "\u0000number:";
/** A number that JSON has not, where it is no name of a member. */
const NAME = /(?:NaN|-?Infinity)(?![\t\n\r ]*:)/y;

/**
 * Decodes a JSON message. Integers of 16 digits and more become bigint when a number cannot hold them exactly; `NaN`,
 * `Infinity` and `-Infinity`, which JSON has not but Python writes, are the numbers of these names.
 */
export function decodeJson(data: Uint8Array): unknown {
  checkLimits(data);
  let text = utf8Text(data);
  // Parsed first, because the search for long numbers takes linear time only on valid JSON.
  let value = parseOrUndefined(text);
  if (value === undefined) {
    text = markNames(text);
    value = parseOrUndefined(text, readMarked);
    if (value === undefined) throw new RecordingError("A message is not valid JSON.");
  }
  if (!MAY_BE_LONG.test(text)) return value;
  const marked = text.replace(LONG_NUMBERS, (part) => {
    if (part.startsWith('"') || Number.isSafeInteger(Number(part))) return part;
    return JSON.stringify(`${MARK}${part}`);
  });
  return JSON.parse(marked, readMarked);
}

/** What a text of JSON says; undefined for what is none. */
function parseOrUndefined(text: string, revive?: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, revive);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Puts marked texts for the names of numbers that stand outside of texts, unless they are names of members. */
function markNames(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      for (at += 1; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at += 1;
    } else if (character === "N" || character === "I" || character === "-") {
      NAME.lastIndex = at;
      const name = NAME.exec(text)?.[0];
      if (name === undefined) continue;
      parts.push(text.slice(from, at), JSON.stringify(`${MARK}${name}`));
      from = at + name.length;
      at = from - 1;
    }
  }
  return parts.join("") + text.slice(from);
}

/** A string of the message may begin with the mark too; it stays a string unless a number follows. */
function readMarked(_key: string, value: unknown): unknown {
  if (typeof value !== "string" || !value.startsWith(MARK)) return value;
  const text = value.slice(MARK.length);
  if (/^(?:NaN|-?Infinity)$/.test(text)) return Number(text);
  return /^-?\d{16,400}$/.test(text) ? BigInt(text) : value;
}

/** Refuses deep nesting, because later code walks the decoded value recursively, and more members than any robot writes. */
function checkLimits(bytes: Uint8Array): void {
  let brackets = 0;
  let colons = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    // Both opening brackets differ in this one bit.
    if ((byte | 0x20) === 0x7b) brackets += 1;
    else if (byte === 0x3a) colons += 1;
  }
  if (brackets <= MAX_DEPTH && colons <= MAX_MEMBERS) return;
  let depth = 0;
  let members = 0;
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
    else if (byte === 0x3a && ++members > MAX_MEMBERS) throw new RecordingError("A message has too many members.");
  }
}
