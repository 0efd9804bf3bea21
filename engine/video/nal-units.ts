/** A unit of an H.264 or H.265 stream holds at most this many parts before its first slice. */
const maxUnits = 256;

const startCode = Uint8Array.of(0, 0, 0, 1);

/**
 * The NAL units of a byte stream (Annex B) without their start codes, up to the first for which `isLast` says so: that one
 * extends to the end. Empty for bytes that are no byte stream.
 */
export function splitByteStream(data: Uint8Array, isLast: (unit: Uint8Array) => boolean): Uint8Array[] {
  const units: Uint8Array[] = [];
  const first = data.findIndex((byte) => byte !== 0);
  if (first < 2 || data[first] !== 1) return units;
  let start = -1;
  for (let at = first - 2; at + 2 < data.length; at++) {
    // Most bytes are above 1, after which no start code can end before three more.
    if (data[at + 2]! > 1) at += 2;
    else if (data[at] === 0 && data[at + 1] === 0 && data[at + 2] === 1) {
      if (start >= 0) units.push(trimZeros(data.subarray(start, at)));
      start = at + 3;
      at += 2;
      if (units.length >= maxUnits || isLast(data.subarray(start))) break;
    }
  }
  if (start >= 0) units.push(data.subarray(start));
  return units.filter((unit) => unit.length > 0);
}

/** A start code of four bytes begins with a zero that belongs to no unit, as do zeros that fill up. */
function trimZeros(unit: Uint8Array): Uint8Array {
  let end = unit.length;
  while (end > 0 && unit[end - 1] === 0) end -= 1;
  return unit.subarray(0, end);
}

/**
 * The NAL units of bytes in which each is preceded by its length, in four bytes unless the stream has another number of
 * them; null when these do not add up exactly.
 */
export function splitLengthPrefixed(data: Uint8Array, lengthBytes = 4): Uint8Array[] | null {
  const units: Uint8Array[] = [];
  let at = 0;
  while (at + lengthBytes <= data.length) {
    let length = 0;
    for (let n = 0; n < lengthBytes; n++) length = length * 256 + data[at++]!;
    if (length === 0 || length > data.length - at || units.length >= maxUnits) return null;
    units.push(data.subarray(at, at + length));
    at += length;
  }
  return at === data.length && units.length > 0 ? units : null;
}

/** A byte stream of NAL units. `rest` is one already, and comes last. */
export function joinByteStream(units: readonly Uint8Array[], rest: Uint8Array = new Uint8Array(0)): Uint8Array {
  const length = units.reduce((sum, unit) => sum + startCode.length + unit.length, rest.length);
  const joined = new Uint8Array(length);
  let at = 0;
  for (const unit of units) {
    joined.set(startCode, at);
    joined.set(unit, at + startCode.length);
    at += startCode.length + unit.length;
  }
  joined.set(rest, at);
  return joined;
}

/** The first bytes of a unit without the bytes that prevent start codes within it; at most `limit` bytes. */
export function unescapeUnit(unit: Uint8Array, limit: number): Uint8Array {
  const out = new Uint8Array(Math.min(unit.length, limit));
  let [length, zeros] = [0, 0];
  for (let at = 0; at < unit.length && length < out.length; at++) {
    const byte = unit[at]!;
    if (zeros >= 2 && byte === 3) zeros = 0;
    else {
      out[length++] = byte;
      zeros = byte === 0 ? zeros + 1 : 0;
    }
  }
  return out.subarray(0, length);
}
