import { nsFromMs, parseDateTimeNs } from "@/domain/time/nanoseconds";

/** An instant that somebody typed among other words, in nanoseconds since 1970, and those words. */
export interface TypedMoment {
  at: bigint;
  rest: string;
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekDays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const month =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const weekDay =
  "sun(?:day)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?";

const isoShape = /(?<!\S)(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?(?!\S)/i;
const timeShape = new RegExp(
  String.raw`(?<!\S)(?:(?:at|@)\s+)?(?:(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:\s?(am|pm))?|(\d{1,2})\s?(am|pm))(?:\s?(utc|gmt|z))?(?!\S)`,
  "i",
);
const dayShape = String.raw`(?:(?:on|last)\s+)?(?:(?<word>today|yesterday)|(?<weekDay>${weekDay})|(?<iso>\d{4}-\d{2}-\d{2})|(?<day>\d{1,2})\.?\s+(?<month>${month})(?:\s+(?<year>\d{4}))?|(?<month2>${month})\s+(?<day2>\d{1,2})(?:,?\s+(?<year2>\d{4}))?)`;
const dayBefore = new RegExp(String.raw`(?<!\S)${dayShape},?\s*$`, "i");
const dayAfter = new RegExp(String.raw`^\s*,?\s*${dayShape}(?!\S)`, "i");

const dayMs = 86_400_000;

/** A time of a day, in milliseconds, with the nanoseconds below them. */
interface TimeOfDay {
  ms: number;
  restNs: bigint;
  isUtc: boolean;
}

/** How far a zone is ahead of UTC at an instant, both in milliseconds. */
export type OffsetAt = (at: number) => number;

/**
 * The instant that a text names, such as `tue 14:10`, `yesterday 9:30 pm`, `24 nov 9:30` or `2026-11-24T09:30Z`, in the
 * zone of `offsetAt` unless it names UTC or an offset; null without a time of day. A time, a day of the week or a day
 * without its year is the latest one up to `now` (milliseconds).
 */
export function parseTypedMoment(text: string, now: number, offsetAt: OffsetAt): TypedMoment | null {
  const iso = isoShape.exec(text);
  if (iso) return readIso(text, iso, offsetAt);
  const found = timeShape.exec(text);
  const time = found && readTime(found);
  if (!found || !time) return null;
  const before = text.slice(0, found.index);
  const after = text.slice(found.index + found[0].length);
  const offset: OffsetAt = time.isUtc ? () => 0 : offsetAt;
  const inFront = dayBefore.exec(before);
  const behind = inFront ? null : dayAfter.exec(after);
  const day = inFront ?? behind;
  const ms = findInstant(day?.groups ?? {}, time.ms, now, offset);
  if (ms === null || ms < 0) return null;
  const words = [inFront ? before.slice(0, inFront.index) : before, behind ? after.slice(behind[0].length) : after];
  return { at: nsFromMs(ms) + time.restNs, rest: clean(words.join(" ")) };
}

const clean = (text: string): string => text.trim().replace(/\s+/g, " ");

function readIso(text: string, match: RegExpExecArray, offsetAt: OffsetAt): TypedMoment | null {
  const [whole, date = "", time = "", zone] = match;
  const ns = parseDateTimeNs(`${date}T${time}${zone ?? "Z"}`);
  if (ns === null) return null;
  const wall = Number(ns / 1_000_000n);
  const at = zone === undefined ? ns - nsFromMs(wall - toInstant(wall, offsetAt)) : ns;
  if (at < 0n) return null;
  return { at, rest: clean(`${text.slice(0, match.index)} ${text.slice(match.index + whole.length)}`) };
}

function readTime(match: RegExpExecArray): TimeOfDay | null {
  const [, hours, minutes = "0", seconds = "0", fraction = "", half, halfHours, otherHalf, utc] = match;
  const side = (half ?? otherHalf)?.toLowerCase();
  const typed = Number(hours ?? halfHours);
  if (side !== undefined && (typed < 1 || typed > 12)) return null;
  const hour = side === undefined ? typed : (typed % 12) + (side === "pm" ? 12 : 0);
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null;
  const ns = BigInt(fraction.padEnd(9, "0"));
  return {
    ms: ((hour * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(ns / 1_000_000n),
    restNs: ns % 1_000_000n,
    isUtc: utc !== undefined,
  };
}

/** The instant at which clocks of a zone show `wall`, which is written as if it were UTC. */
function toInstant(wall: number, offsetAt: OffsetAt): number {
  const near = wall - offsetAt(wall);
  return wall - offsetAt(near);
}

function findInstant(
  day: Partial<Record<string, string>>,
  time: number,
  now: number,
  offsetAt: OffsetAt,
): number | null {
  const today = Math.floor((now + offsetAt(now)) / dayMs) * dayMs;
  const on = (midnight: number) => toInstant(midnight + time, offsetAt);
  const word = day["word"]?.toLowerCase();
  if (word !== undefined) return on(word === "today" ? today : today - dayMs);
  if (day["iso"] !== undefined) {
    const ns = parseDateTimeNs(`${day["iso"]}T00:00Z`);
    return ns === null ? null : on(Number(ns / 1_000_000n));
  }
  const weekDay = day["weekDay"]?.slice(0, 3).toLowerCase();
  const monthName = (day["month"] ?? day["month2"])?.slice(0, 3).toLowerCase();
  if (monthName !== undefined) {
    const date = Number(day["day"] ?? day["day2"]);
    const year = day["year"] ?? day["year2"];
    return findDate(months.indexOf(monthName), date, year, today, (midnight) => {
      const at = on(midnight);
      return year !== undefined || at <= now ? at : null;
    });
  }
  for (let back = 0; back <= 7; back++) {
    const midnight = today - back * dayMs;
    if (weekDay !== undefined && new Date(midnight).getUTCDay() !== weekDays.indexOf(weekDay)) continue;
    const at = on(midnight);
    if (at <= now) return at;
  }
  return null;
}

/** The first of a date's years, from this one back, that has the date and an instant; of a given year only that. */
function findDate(
  monthAt: number,
  date: number,
  year: string | undefined,
  today: number,
  find: (midnight: number) => number | null,
): number | null {
  const thisYear = new Date(today).getUTCFullYear();
  const years = year === undefined ? Array.from({ length: 9 }, (_, back) => thisYear - back) : [Number(year)];
  for (const each of years) {
    const midnight = Date.UTC(each, monthAt, date);
    const read = new Date(midnight);
    if (read.getUTCMonth() !== monthAt || read.getUTCDate() !== date) continue;
    const at = find(midnight);
    if (at !== null) return at;
  }
  return null;
}
