import { z } from "zod";
import { expects } from "@/domain/field-messages";
import { nonBlank } from "@/domain/fields";
import { parseDuration } from "@/domain/time/duration";
import { dateFromNs, maxNs, parseDateTimeNs } from "@/domain/time/nanoseconds";
import { parseMomentNs, parseSpanMs } from "@/domain/time/relative";

/** The types of input fields for times. Those of the API first. */

const dateTimeError =
  "Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].";

const noLater = (ns: bigint): bigint => (ns > maxNs ? maxNs : ns);

const anyTimeNs = () =>
  z
    .string()
    .transform((value, issues) => {
      const ns = parseDateTimeNs(value);
      if (ns !== null) return ns;
      issues.addIssue({ code: "custom", message: dateTimeError });
      return z.NEVER;
    })
    .meta({ format: "date-time" });

/** A time, kept to the nanosecond as a bigint. */
export const timestampNs = () =>
  anyTimeNs()
    .refine((ns) => ns <= maxNs, { error: "Ensure this time is no later than 2262-04-11." })
    .meta({ format: "date-time" });

/** A time bound of a list, clamped to the range of 64 bits. */
export const boundNs = () => anyTimeNs().transform(noLater).meta({ format: "date-time" });

/** A time, kept to the millisecond as a Date. */
export const timestamp = () => anyTimeNs().transform(dateFromNs);

const durationError = "Enter a duration such as 10s, 5m or 1m30s: more than zero, at most 30d.";

/** A duration string, not normalized. */
export const durationSchema = z
  .string({ error: expects("Not a valid string.") })
  .refine((text) => parseDuration(text) !== null, { error: durationError });

/** A time, or a span before now such as `-24h`. For addresses of screens; the REST API does not accept it. */
export const momentNs = () =>
  z.string().transform((value, issues) => {
    const ns = parseMomentNs(value);
    if (ns !== null) return noLater(ns);
    issues.addIssue({ code: "custom", message: "Enter a time, or how long ago, such as -24h." });
    return z.NEVER;
  });

/** The same to the millisecond. */
export const moment = () => momentNs().transform(dateFromNs);

/** A positive span in one unit, such as `30m`, `6h`, `7d`, as milliseconds. */
export const spanMs = (error: string) =>
  z.string().transform((value, issues) => {
    const ms = parseSpanMs(value);
    if (ms) return ms;
    issues.addIssue({ code: "custom", message: error });
    return z.NEVER;
  });

const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return true;
  } catch {
    return false;
  }
};

/** The IANA name of a time zone, such as `Europe/Berlin`. */
export const timeZone = () => nonBlank(100).refine(isTimeZone, { error: "No such time zone." });
