/** Numbers, sizes, durations and times as the interface writes them. Pure; every function takes its clock and zone. */

export interface Measure {
  value: string;
  unit: string;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const pad = (value: number): string => String(value).padStart(2, "0");

/** Milliseconds as `850 ms`, `4.2 s`, `42 s`, `3m 05s`, `1h 04m`, `2d 03h`; `–` for other values. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return "–";
  const sign = ms < 0 ? "−" : "";
  const size = Math.abs(ms);
  if (size < second) return `${sign}${Math.min(999, Math.round(size))} ms`;
  if (size < 10 * second) return `${sign}${(Math.floor(size / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(size / second);
  if (size < minute) return `${sign}${seconds} s`;
  if (size < hour) return `${sign}${Math.floor(seconds / 60)}m ${pad(seconds % 60)}s`;
  const minutes = Math.floor(seconds / 60);
  if (size < day) return `${sign}${Math.floor(minutes / 60)}h ${pad(minutes % 60)}m`;
  const hours = Math.floor(minutes / 60);
  return `${sign}${Math.floor(hours / 24)}d ${pad(hours % 24)}h`;
}

const byteUnits = ["B", "kB", "MB", "GB", "TB", "PB"];

/** Bytes in decimal units with three significant digits, number and unit apart: `{ value: "4.12", unit: "GB" }`. */
export function measureBytes(bytes: number): Measure {
  if (!Number.isFinite(bytes)) return { value: "–", unit: "" };
  let value = bytes;
  let step = 0;
  // 999.5 would round to a four-digit "1000", so it moves to the next unit.
  while (Math.abs(value) >= 999.5 && step < byteUnits.length - 1) {
    value /= 1000;
    step += 1;
  }
  const digits = step === 0 ? 0 : Math.abs(value) < 9.995 ? 2 : Math.abs(value) < 99.95 ? 1 : 0;
  return { value: value.toFixed(digits), unit: byteUnits[step] ?? "B" };
}

/** Bytes as one string: `4.12 GB`. */
export function formatBytes(bytes: number): string {
  const { value, unit } = measureBytes(bytes);
  return unit ? `${value} ${unit}` : value;
}

/** A number with grouped thousands and at most `digits` decimals (default 2); `–` for other values. */
export function formatNumber(value: number, digits = 2): string {
  if (!Number.isFinite(value)) return "–";
  return new Intl.NumberFormat("en-US", { maximumFractionDigits: digits }).format(value).replace("-", "−");
}

/** A number with as many digits as tell it from its neighbours: one of 32 bits has nine at most, not seventeen. */
export function shortestText(value: number): string {
  if (!Number.isFinite(value) || Number.isInteger(value) || Math.fround(value) !== value) return String(value);
  const short = [6, 7, 8, 9].map((digits) => Number(value.toPrecision(digits)));
  return String(short.find((each) => Math.fround(each) === value) ?? value);
}

/** A count in little room: `950`, `12.4k`, `3.1M`. */
export function formatCompact(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const text = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 }).format(value);
  return text.replace("K", "k").replace("-", "−");
}

/** `1 device`, `2 devices`; the plural is the singular with an s unless given. */
export function plural(count: number, singular: string, pluralForm = `${singular}s`): string {
  return `${formatNumber(count, 0)} ${count === 1 ? singular : pluralForm}`;
}

/** How far `at` lies from `now` (both ms): `now`, `12 s ago`, `4 m ago`, `3 h ago`, `9 d ago`, `5 mo ago`, `in 2 h`. */
export function formatRelative(at: number, now: number): string {
  if (!Number.isFinite(at)) return "–";
  const distance = Math.abs(now - at);
  if (distance < 2 * second) return "now";
  let text: string;
  if (distance < minute) text = `${Math.floor(distance / second)} s`;
  else if (distance < hour) text = `${Math.floor(distance / minute)} m`;
  else if (distance < day) text = `${Math.floor(distance / hour)} h`;
  else if (distance < 60 * day) text = `${Math.floor(distance / day)} d`;
  else if (distance < 730 * day) text = `${Math.floor(distance / (30.44 * day))} mo`;
  else text = `${Math.floor(distance / (365.25 * day))} y`;
  return at > now ? `in ${text}` : `${text} ago`;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(zone: string): Intl.DateTimeFormat {
  let found = formatters.get(zone);
  if (!found) {
    const options: Intl.DateTimeFormatOptions = {
      timeZone: zone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      fractionalSecondDigits: 3,
      hourCycle: "h23",
      timeZoneName: "shortOffset",
    };
    try {
      found = new Intl.DateTimeFormat("en-US", options);
    } catch {
      // The zone comes from a cookie; one that does not exist must not break the page.
      found = new Intl.DateTimeFormat("en-US", { ...options, timeZone: "UTC" });
    }
    formatters.set(zone, found);
  }
  return found;
}

export type Precision = "day" | "minute" | "second" | "millisecond";

/**
 * An instant (ms) in an IANA zone, year first, the zone always marked: `2026-03-04 14:05:09.123 UTC` or `… GMT+2`.
 * A `day` carries no zone mark.
 */
export function formatInstant(at: number, zone: string, precision: Precision = "second"): string {
  if (!Number.isFinite(at)) return "–";
  const part: Record<string, string> = {};
  for (const { type, value } of formatter(zone).formatToParts(at)) part[type] = value;
  const date = `${part.year}-${part.month}-${part.day}`;
  if (precision === "day") return date;
  let time = `${part.hour}:${part.minute}`;
  if (precision !== "minute") time += `:${part.second}`;
  if (precision === "millisecond") time += `.${part.fractionalSecond}`;
  const mark = /^(UTC|GMT(\+0)?)$/.test(part.timeZoneName ?? "UTC") ? "UTC" : part.timeZoneName;
  return `${date} ${time} ${mark}`;
}

/** How far a zone is ahead of UTC at an instant, in ms. */
export function zoneOffset(at: number, zone: string): number {
  const part: Record<string, string> = {};
  for (const { type, value } of formatter(zone).formatToParts(at)) part[type] = value;
  const { year, month, day, hour, minute, second } = part;
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return local - Math.floor(at / 1_000) * 1_000;
}

/** The instant (ms) at which clocks of a zone show a time that is written as if it were UTC. */
export function fromWallClock(wall: number, zone: string): number {
  // On the day that clocks change, the offset of the guess is another than that of the result.
  const near = wall - zoneOffset(wall, zone);
  return wall - zoneOffset(near, zone);
}

/** Cuts the middle out of what is longer than `max` characters, so that both ends stay readable: `0198f3…c41a`. */
export function truncateMiddle(text: string, max = 12): string {
  if (text.length <= max) return text;
  const tail = Math.floor((max - 1) / 2);
  return `${text.slice(0, max - 1 - tail)}…${text.slice(text.length - tail)}`;
}

/** Reads an ISO string, a date or milliseconds as milliseconds; NaN when it cannot. */
export function toMillis(value: string | number | Date): number {
  if (typeof value === "number") return value;
  return value instanceof Date ? value.getTime() : Date.parse(value);
}
