import type { FieldInfo } from "@/engine/decode/fields";

/** Beyond it nanoseconds do not fit 64 bits. */
const maxSeconds = 9_223_372_032;
/** Of a part of 32 bits, with a sign or without one. */
const maxNanoseconds = 4_294_967_295;
const billion = 1_000_000_000;

/** The slots of a field: a time has two, for its seconds and its nanoseconds, which doubles hold exactly. */
export const listSlots = (info: FieldInfo): FieldInfo[] =>
  info.kind === "time" ? [info, { ...info, isFraction: true }] : [info];

/** Whether the parts make a time or a duration whose nanoseconds fit 64 bits. */
export const isWholeTime = (seconds: number, nanoseconds: number): boolean =>
  Math.abs(seconds) <= maxSeconds &&
  Math.abs(nanoseconds) <= maxNanoseconds &&
  Number.isInteger(seconds) &&
  Number.isInteger(nanoseconds);

/** All nanoseconds of parts that make a time. */
export const toNanoseconds = (seconds: number, nanoseconds: number): bigint =>
  BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds);

/**
 * Puts all nanoseconds of parts that make a time at `row`, as low and high half: making a BigInt for each row would take
 * longer than all else.
 */
export function putNanoseconds(halves: Int32Array, row: number, seconds: number, nanoseconds: number): void {
  const upper = Math.floor(seconds / 1_048_576);
  const product = upper * billion;
  const high = Math.floor(product / 4096);
  // Every summand is below 2^51, so that the sum is exact.
  const low = (product - high * 4096) * 1_048_576 + (seconds - upper * 1_048_576) * billion + nanoseconds;
  const carry = Math.floor(low / 4_294_967_296);
  halves[2 * row] = low - carry * 4_294_967_296;
  halves[2 * row + 1] = high + carry;
}
