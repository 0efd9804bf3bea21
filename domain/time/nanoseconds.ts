/** Times are nanoseconds since 1970 (UTC) as bigint, spans are nanoseconds; JavaScript's own clock has milliseconds. */

export const nsPerMs = 1_000_000n;
export const nsPerSecond = 1_000_000_000n;
export const nsPerDay = 86_400n * nsPerSecond;

/** The last nanosecond that 64 bits hold, in April 2262. */
export const maxNs = 0x7fff_ffff_ffff_ffffn;

/** Nanoseconds of whole milliseconds, or of a Date. */
export const nsFromMs = (ms: number | Date): bigint => BigInt(Number(ms)) * nsPerMs;
/** Whole milliseconds, rounded down. */
export const msFromNs = (ns: bigint): number => Number(ns / nsPerMs);
/** Seconds as a float64: exact to the nanosecond for spans of up to 104 days. */
export const secondsFromNs = (ns: bigint): number => Number(ns) / 1e9;
/** To the millisecond. */
export const dateFromNs = (ns: bigint): Date => new Date(msFromNs(ns));

/** A time as the API returns it, to the millisecond: `2026-11-20T09:15:00.123Z`. */
export const isoFromNs = (ns: bigint): string => dateFromNs(ns).toISOString();

/** Whole seconds since 1970, rounded down, and the remaining nanoseconds (0 to 999,999,999). */
function splitSeconds(ns: bigint): [seconds: bigint, rest: bigint] {
  const rest = ((ns % nsPerSecond) + nsPerSecond) % nsPerSecond;
  return [(ns - rest) / nsPerSecond, rest];
}

/** The nine digits behind the second of a time. */
export const fractionDigits = (ns: bigint): string => splitSeconds(ns)[1].toString().padStart(9, "0");

const toSecond = (ns: bigint): string =>
  new Date(Number(splitSeconds(ns)[0]) * 1_000).toISOString().slice(0, "2026-11-20T09:15:00".length);

/** To the nanosecond, always nine digits: `2026-11-20T09:15:00.123000000Z`. */
export const exactIsoFromNs = (ns: bigint): string => `${toSecond(ns)}.${fractionDigits(ns)}Z`;

/** To the nanosecond, no more digits than it takes: `2026-11-20T09:15:00.123Z`. */
export function shortIsoFromNs(ns: bigint): string {
  const digits = fractionDigits(ns).replace(/0+$/, "");
  return `${toSecond(ns)}${digits ? `.${digits}` : ""}Z`;
}

const dateTimeShape =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?(?:([Zz])|([+ -])(\d{2}):?(\d{2}))?$/;
const maxDateMs = 253_402_300_799_999;

/**
 * An RFC 3339 time as nanoseconds since 1970, or null: no offset means UTC; impossible dates, leap seconds and years
 * outside 1970–9999 are refused. Digits beyond nanoseconds are cut. Callers that accept times before 1970 pass an
 * earlier `minYear`. A space before the offset is the `+` of an address that was not encoded.
 */
export function parseDateTimeNs(value: string, minYear = 1970): bigint | null {
  const match = dateTimeShape.exec(value);
  if (!match) return null;
  const [, , , , , , , fraction = "", , sign, offsetHours = "0", offsetMinutes = "0"] = match;
  const [y, mo, d, h, mi, s] = match.slice(1, 7).map((part: string | undefined) => Number(part ?? 0)) as Six;
  if (y < minYear || mo < 1 || mo > 12 || d < 1 || h > 23 || mi > 59 || s > 59) return null;
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return null;
  if (d > 28 && d > new Date(Date.UTC(y, mo, 0)).getUTCDate()) return null;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === "-" ? -60_000 : 60_000);
  const ms = Date.UTC(y, mo - 1, d, h, mi, s) - offset;
  if ((ms < 0 && minYear >= 1970) || ms > maxDateMs) return null;
  return nsFromMs(ms) + BigInt(fraction.slice(0, 9).padEnd(9, "0"));
}
type Six = [number, number, number, number, number, number];
