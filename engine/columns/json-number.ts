import { utf8Text } from "@/engine/bytes";

/** Powers of ten that a double holds exactly. */
const powers = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
const [minus, point, zero, nine] = [0x2d, 0x2e, 0x30, 0x39];
/** Digits beyond the first fifteen that are looked at as numbers. */
const maxTail = 8;

/** A number as JSON writes it. */
const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

interface Found {
  /** The byte after the number. */
  end: number;
  number: number;
}

/**
 * Reads a number of JSON in [from, end) as the decoder does, `NaN` and infinities included, and leaves it with its end in
 * `found`. False for what is no number, and for integers that a double does not hold.
 */
export function readJsonNumber(bytes: Uint8Array, from: number, end: number, found: Found): boolean {
  const negative = bytes[from] === minus;
  const first = negative ? from + 1 : from;
  // The first fifteen significant digits as nine and six, which are small integers, and those that follow.
  let [high, low, lowDigits, tail, tailDigits] = [0, 0, 0, 0, 0];
  let dot = -1;
  let at = first;
  for (; at < end; at++) {
    const digit = bytes[at]! - zero;
    if (digit < 0 || digit > 9) {
      if (dot >= 0 || bytes[at] !== point) break;
      dot = at;
    } else if (high < 1e8) high = high * 10 + digit;
    else if (lowDigits < 6) {
      low = low * 10 + digit;
      lowDigits += 1;
    } else {
      if (tailDigits <= maxTail) tail = tail * 10 + digit;
      tailDigits += 1;
    }
  }
  const whole = dot < 0 ? at : dot;
  if (whole === first) return readName(bytes, from, end, found);
  if (whole > first + 1 && bytes[first] === zero) return false;
  const scale = dot < 0 ? 0 : at - dot - 1;
  if (dot >= 0 && scale === 0) return false;
  if (at < end && (bytes[at]! | 0x20) === 0x65) return readText(bytes, from, end, found);
  const head = lowDigits === 0 ? high : high * powers[lowDigits]! + low;
  let number: number;
  if (scale === 0) {
    number = tailDigits === 0 ? head : head * 10 + tail;
    if (tailDigits > 1 || number > Number.MAX_SAFE_INTEGER) return false;
  } else if (scale >= powers.length || tailDigits > maxTail) return readText(bytes, from, end, found);
  else {
    // Both are exact, so that their quotient is the nearest double.
    number = tailDigits === 0 ? head / powers[scale]! : divide(head, tail, tailDigits, scale);
    if (number !== number) return readText(bytes, from, end, found);
  }
  found.number = negative ? -number : number;
  found.end = at;
  return true;
}

/** The rounding error of a product, after Veltkamp and Dekker. */
function productError(a: number, b: number, product: number): number {
  const aParts = a * 134_217_729;
  const aHigh = aParts - (aParts - a);
  const aLow = a - aHigh;
  const bParts = b * 134_217_729;
  const bHigh = bParts - (bParts - b);
  const bLow = b - bHigh;
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
}

/**
 * The double nearest to all digits, `head` and the `tailDigits` of `tail`, over a power of ten; NaN where it lies too
 * close to the middle of two to tell.
 */
function divide(head: number, tail: number, tailDigits: number, scale: number): number {
  const shift = powers[tailDigits]!;
  const power = powers[scale]!;
  const product = head * shift;
  const digits = product + tail;
  // Both are exact: the product is greater than the digits behind it.
  const rest = productError(head, shift, product) + (tail - (digits - product));
  const quotient = digits / power;
  const back = quotient * power;
  const correction = (digits - back - productError(quotient, power, back) + rest) / power;
  // The correction is known to within 2^-100 of the quotient.
  const doubt = quotient * 2 ** -90;
  const number = quotient + (correction + doubt);
  return number === quotient + (correction - doubt) ? number : NaN;
}

/** What is rare: exponents, and more digits than numbers hold. */
function readText(bytes: Uint8Array, from: number, end: number, found: Found): boolean {
  let at = from;
  while (at < end && isPart(bytes[at]!)) at += 1;
  const text = utf8Text(bytes, from, at);
  if (!numberForm.test(text)) return false;
  found.number = Number(text);
  found.end = at;
  return true;
}

const names = [NaN, Infinity, -Infinity].map((number) => ({ number, bytes: new TextEncoder().encode(String(number)) }));

function readName(bytes: Uint8Array, from: number, end: number, found: Found): boolean {
  for (const name of names) {
    if (from + name.bytes.length > end || name.bytes.some((byte, at) => bytes[from + at] !== byte)) continue;
    found.number = name.number;
    found.end = from + name.bytes.length;
    return true;
  }
  return false;
}

const isPart = (byte: number): boolean =>
  (byte >= zero && byte <= nine) || byte === minus || byte === point || byte === 0x2b || (byte | 0x20) === 0x65;
