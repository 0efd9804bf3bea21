/** The types that signals are stored in. An enum is stored as the names of its values. */
export const signalTypes = [
  "bool",
  "int8",
  "uint8",
  "int16",
  "uint16",
  "int32",
  "uint32",
  "int64",
  "uint64",
  "float32",
  "float64",
  "enum",
] as const;
export type SignalType = (typeof signalTypes)[number];

/** Topics of a recording that have signals: each is a file. */
export const maxSignalTopics = 5_000;

/** One column of a topic's signals. */
export interface SignalField {
  /** `pose.position.x`, `data[0]`, `["odd key"].x`. */
  path: string;
  type: SignalType;
}

const width = (type: SignalType): number => Number(/\d+$/.exec(type)?.[0] ?? 0);
const isSigned = (type: SignalType): boolean => type.startsWith("int");
const isFloat = (type: SignalType): boolean => type.startsWith("float");

/**
 * The narrowest type that holds the values of both; a 64-bit integer and a float become float64. Null when there is
 * none, as for a number and an enum, or for uint64 and a signed integer.
 */
export function widen(a: SignalType, b: SignalType): SignalType | null {
  if (a === b) return a;
  if (width(a) === 0 || width(b) === 0) return null;
  if (isFloat(a) || isFloat(b)) {
    const integer = isFloat(a) ? b : a;
    // A float32 holds integers of up to 24 bits.
    return !isFloat(integer) && width(integer) <= 16 ? (isFloat(a) ? a : b) : "float64";
  }
  if (isSigned(a) === isSigned(b)) return width(a) > width(b) ? a : b;
  const needed = Math.max(width(isSigned(a) ? a : b), width(isSigned(a) ? b : a) * 2);
  return needed === 16 ? "int16" : needed === 32 ? "int32" : needed === 64 ? "int64" : null;
}
