/** An exact decimal number: `digits / 10^scale`. */
export interface Decimal {
  digits: bigint;
  scale: number;
}

/** The number a rule compares with, in every form that a sample may need. */
export interface Bound {
  number: number;
  decimal: Decimal;
  /** The greatest integer that is not above the bound. */
  floor: bigint;
  isInteger: boolean;
  /** Whether comparing a float64 sample with `number` is exact. */
  plain: boolean;
}

const decimalShape = /^[+-]?(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d{1,3}))?$/;
const infinityShape = /^[+-]?inf(?:inity)?$/i;
const maxTextLength = 64;

/** Parses `12.5`, `-3`, `.5` or `1e-3`; null for anything else and for overlong texts. */
function parseDecimal(text: string): Decimal | null {
  if (text.length > maxTextLength) return null;
  const match = decimalShape.exec(text);
  if (!match) return null;
  const integer = match[1] ?? "";
  const fraction = match[2] ?? match[3] ?? "";
  const scale = fraction.length - Number(match[4] ?? 0);
  const magnitude = BigInt(integer + fraction) * (scale < 0 ? 10n ** BigInt(-scale) : 1n);
  return { digits: text.startsWith("-") ? -magnitude : magnitude, scale: Math.max(scale, 0) };
}

/** Negative, zero or positive, as `a` is below, equal to or above `b`; exact. */
function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const left = a.digits * 10n ** BigInt(scale - a.scale);
  const right = b.digits * 10n ** BigInt(scale - b.scale);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The bound of a finite JSON number or a decimal string; null when the text is no decimal. */
export function toBound(value: number | string): Bound | null {
  const text = String(value);
  const decimal = parseDecimal(text);
  if (!decimal) return null;
  const unit = 10n ** BigInt(decimal.scale);
  const remainder = decimal.digits % unit;
  const floor = decimal.digits / unit - (remainder < 0n ? 1n : 0n);
  const number = Number(text);
  const plain = Math.abs(number) <= Number.MAX_SAFE_INTEGER;
  return { number, decimal, floor, isInteger: remainder === 0n, plain };
}

/** Compares two bounds exactly: negative when `a` is the lower. */
export const compareBounds = (a: Bound, b: Bound): number => compareDecimals(a.decimal, b.decimal);

// JavaScript compares a bigint with a float64 exactly, so one path serves both kinds of sample.
function compareWithFloor(value: number | bigint, bound: Bound): number {
  if (value > bound.floor) return 1;
  if (value < bound.floor) return -1;
  return value == bound.floor ? (bound.isInteger ? 0 : -1) : NaN;
}

/** Infinity with its sign where text spells it, else NaN. */
function parseInfinity(value: unknown): number {
  const text = typeof value === "string" ? value.trim() : "";
  return infinityShape.test(text) ? (text.startsWith("-") ? -Infinity : Infinity) : NaN;
}

interface Instant {
  seconds: number | bigint;
  nanoseconds: number;
}

/** The parts of a ROS or protobuf time or duration; null when the object is something else. */
function toInstant(value: object): Instant | null {
  const { sec, seconds = sec, nsec, nanosec = nsec, nanos = nanosec } = value as Record<string, unknown>;
  return (typeof seconds === "number" || typeof seconds === "bigint") && typeof nanos === "number"
    ? { seconds, nanoseconds: nanos }
    : null;
}

/**
 * The exact number of a 64-bit integer, a numeric text, or a time or duration (in seconds); null for
 * anything else, float64 included.
 */
export function toDecimal(value: unknown): Decimal | null {
  switch (typeof value) {
    case "bigint":
      return { digits: value, scale: 0 };
    case "string":
      return parseDecimal(value.trim());
    case "object": {
      const instant = value && toInstant(value);
      if (!instant || !Number.isInteger(Number(instant.seconds)) || !Number.isInteger(instant.nanoseconds)) return null;
      return { digits: BigInt(instant.seconds) * 1_000_000_000n + BigInt(instant.nanoseconds), scale: 9 };
    }
    default:
      return null;
  }
}

/**
 * Negative, zero or positive, as a decoded value is below, equal to or above the bound, and NaN when it is not a
 * number. Integers of 64 bits are compared exactly, numeric text by its decimals, times and durations as seconds to the
 * nanosecond.
 */
export function compareWithBound(value: unknown, bound: Bound): number {
  switch (typeof value) {
    case "number":
      if (!bound.plain) return compareWithFloor(value, bound);
      return value < bound.number ? -1 : value > bound.number ? 1 : value === bound.number ? 0 : NaN;
    case "bigint":
      return compareWithFloor(value, bound);
    case "string":
    case "object": {
      const decimal = toDecimal(value);
      return decimal ? compareDecimals(decimal, bound.decimal) : parseInfinity(value);
    }
    default:
      return NaN;
  }
}

/** The value as float64 for peaks and evidence (times in seconds); NaN when it is not a number. */
export function toNumber(value: unknown): number {
  switch (typeof value) {
    case "number":
      return value;
    case "bigint":
      return Number(value);
    case "string": {
      const trimmed = value.trim();
      return trimmed.length <= maxTextLength && decimalShape.test(trimmed) ? Number(trimmed) : parseInfinity(trimmed);
    }
    case "object": {
      const instant = value && toInstant(value);
      return instant ? Number(instant.seconds) + instant.nanoseconds / 1e9 : NaN;
    }
    default:
      return NaN;
  }
}

/** Whether text spells "not a number", as C and Python print it. */
export const isNanText = (text: string): boolean => /^[+-]?nan$/i.test(text.trim());
