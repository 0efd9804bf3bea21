import { z } from "zod";
import type { JsonValue } from "@/domain/conditions/evidence";

/** How a stream's state is written as JSON, and read again. */

/** Nanoseconds, as a decimal string. */
export const savedTime = z.codec(z.string().regex(/^-?\d{1,40}$/), z.bigint(), { decode: BigInt, encode: String });

/** Any number, also those that JSON lacks. */
export const savedNumber = z.codec(
  z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]),
  z.custom<number>((value) => typeof value === "number"),
  {
    decode: Number,
    encode: (value) => (Number.isFinite(value) ? value : value > 0 ? "Infinity" : value < 0 ? "-Infinity" : "NaN"),
  },
);

/** A value as evidence shows it, which is safe for JSON as it is. */
export const savedValue = z.custom<JsonValue>((value) => value !== undefined);

/** Nanoseconds in rising order: the first as it is, of the others how much later each is. */
export const savedTimes = z.codec(z.tuple([savedTime], z.int().min(0)).or(z.tuple([])), z.array(z.bigint()), {
  decode([first, ...steps]) {
    let time = first;
    return time === undefined ? [] : [time, ...steps.map((step) => (time = time! + BigInt(step)))];
  },
  encode(times): [bigint, ...number[]] | [] {
    const [first, ...rest] = times;
    return first === undefined ? [] : [first, ...rest.map((time, at) => Number(time - times[at]!))];
  },
});
