/** Replacements for functions of Node's Buffer that work in browsers too. */

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
/** Up to this many bytes, building an ASCII text is faster than calling the decoder. */
const maxShort = 10;
const utf8Encoder = new TextEncoder();

/** The same bytes as a plain Uint8Array: loops that also see subclasses (Node's Buffer) run slower. */
export const plainBytes = (bytes: Uint8Array): Uint8Array =>
  new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const toDataView = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The text of [from, to) as UTF-8; what is not UTF-8 becomes U+FFFD. */
export function utf8Text(bytes: Uint8Array, from = 0, to = bytes.length): string {
  if (to - from > maxShort) return utf8.decode(bytes.subarray(from, to));
  let text = "";
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    if (byte > 0x7f) return utf8.decode(bytes.subarray(from, to));
    text += String.fromCharCode(byte);
  }
  return text;
}

export const utf8Bytes = (text: string): Uint8Array => utf8Encoder.encode(text);

/** Copies a text, because a slice of a string keeps the complete string in memory. */
export const copyText = (text: string): string => utf8Text(utf8Bytes(text));

/** Bytes as the characters of the same numbers, for short names: one character after another. */
export function latin1Text(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/**
 * The bytes of a base64 text as `atob` reads it, at once where the platform can (browsers since 2025). Throws a
 * DOMException or a SyntaxError for other text.
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  if (typeof Uint8Array.fromBase64 === "function") return Uint8Array.fromBase64(text);
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = characters.charCodeAt(at);
  return bytes;
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Orders a[aFrom, aTo) and b[bFrom, bTo) by their first differing byte, then by length: negative, 0 or positive. */
export function compareBytes(
  a: Uint8Array,
  b: Uint8Array,
  aFrom = 0,
  aTo = a.length,
  bFrom = 0,
  bTo = b.length,
): number {
  const length = Math.min(aTo - aFrom, bTo - bFrom);
  for (let at = 0; at < length; at++) {
    if (a[aFrom + at] !== b[bFrom + at]) return a[aFrom + at]! - b[bFrom + at]!;
  }
  return aTo - aFrom - (bTo - bFrom);
}

export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && compareBytes(a, b) === 0;

/** Reverses the byte order of every element of `size` bytes. */
export function reverseEach(bytes: Uint8Array, size: number): void {
  for (let start = 0; start < bytes.length; start += size) {
    for (let low = start, high = start + size - 1; low < high; low++, high--) {
      const byte = bytes[low]!;
      bytes[low] = bytes[high]!;
      bytes[high] = byte;
    }
  }
}
