import { z } from "zod";

/** An integer: a number up to 2^53, a decimal string beyond. */
export const wholeNumber = z.union([z.int(), z.string()]);

/** An integer of the database for a response: a number, or a decimal string beyond 2^53. */
export const wireInteger = (value: bigint | number | string): number | string => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
};

/** A time of the database for a response; queries of large lists already select it as ISO text. */
export const isoTime = (time: Date | string): string => (typeof time === "string" ? time : time.toISOString());
export const isoTimeOrNull = (time: Date | string | null): string | null => (time === null ? null : isoTime(time));
