import type { KeptLists } from "@/engine/decode/kept-lists";
import type { PayloadCursor } from "@/engine/decode/payload-cursor";
import { SCALAR_BYTES, type ScalarType, type StructType } from "@/engine/decode/schemas/message-type";

export type Encoding = "ros1" | "cdr";

/** `delimited`: XCDR2 of appendable types, where structs and lists of other than primitive types follow their length. */
export type Form = Encoding | "delimited";

/** One value that is read out of messages: where it lies, and the slot it is put in. */
export interface Pick {
  /** Field positions from the message down; an array element is the number after its array's field. */
  steps: readonly number[];
  slot: number;
  /** The list of unknown length that it is an element of; -1 for none. */
  list: number;
}

/** The picks by their step at a depth. */
export function groupPicks(picks: readonly Pick[], depth: number): Map<number, Pick[]> {
  const groups = new Map<number, Pick[]>();
  for (const pick of picks) {
    const own = groups.get(pick.steps[depth]!);
    if (own) own.push(pick);
    else groups.set(pick.steps[depth]!, [pick]);
  }
  return groups;
}

export type States = (boolean | string | number | undefined)[];

/** Reads the picked scalars of one message, numbers into `values` and all else into `states`. */
export type Picking = (cursor: PayloadCursor, values: Float64Array, states: States) => void;

/** Reads one complete message into plain objects. */
export type Reading = (cursor: PayloadCursor) => unknown;

/** The readers of one form of messages, generated or not. */
export interface Readers {
  /** With `only`, just those fields of the message. */
  decoder(type: StructType, only?: ReadonlySet<string>): Reading;
  picker(type: StructType, picks: readonly Pick[], slots: number, kept: KeptLists): Picking;
}

export const isPrimitive = (type: ScalarType | StructType): boolean =>
  typeof type === "string" && type !== "string" && type !== "time" && type !== "duration";

/** An empty struct is one byte, but for ROS 1. */
export const isPadded = (type: StructType, form: Form): boolean => type.fields.length === 0 && form !== "ros1";

/** The minimum size of values of a form in bytes, without padding. */
export function createLeastBytes(form: Form): (type: ScalarType | StructType) => number {
  const known = new Map<StructType, number>();
  const getBytes = (type: ScalarType | StructType): number => {
    if (typeof type === "string") return SCALAR_BYTES[type];
    let bytes = known.get(type);
    if (bytes !== undefined) return bytes;
    bytes = isPadded(type, form) ? 1 : 0;
    for (const field of type.fields) {
      const one = getBytes(field.type);
      bytes += field.array === null ? one : field.array.length === null ? 4 : field.array.length * one;
    }
    // Larger than any message: such a type can be declared but never read.
    bytes = Math.min(bytes, 2 ** 40);
    known.set(type, bytes);
    return bytes;
  };
  return getBytes;
}

/**
 * The empty values that a struct without any bytes is made of, itself included. They are counted against what a message
 * may have of them, since types that use each other repeatedly can have exponentially many.
 */
export function countEmpty(type: StructType, known = new Map<StructType, number>()): number {
  let count = known.get(type);
  if (count !== undefined) return count;
  count = 1;
  for (const { type: own, array } of type.fields) {
    if (typeof own === "string") continue;
    const one = countEmpty(own, known);
    count += array === null ? one : (array.length ?? 0) * (one + 1);
  }
  count = Math.min(count, 2 ** 40);
  known.set(type, count);
  return count;
}
