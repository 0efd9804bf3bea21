import type { Recurrence } from "@/domain/silences/schema";

/** An interval in which a recurring silence mutes. */
export interface SilenceWindow {
  starts: Date;
  ends: Date;
}

const minute = 60_000;
const day = 24 * 60 * minute;

const formatters = new Map<string, Intl.DateTimeFormat>();
function getFormatter(zone: string): Intl.DateTimeFormat {
  let found = formatters.get(zone);
  if (!found) {
    found = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    formatters.set(zone, found);
  }
  return found;
}

/** The local time of a zone at an instant, expressed as if it were UTC. Whole seconds. */
function wallClock(zone: string, at: number): number {
  const part: Record<string, number> = {};
  for (const { type, value } of getFormatter(zone).formatToParts(at)) part[type] = Number(value);
  return Date.UTC(
    part.year ?? 0,
    (part.month ?? 1) - 1,
    part.day ?? 1,
    part.hour ?? 0,
    part.minute ?? 0,
    part.second ?? 0,
  );
}

const offsetAt = (zone: string, at: number): number => wallClock(zone, at) - Math.floor(at / 1_000) * 1_000;

/**
 * The first or last instant with a given local time in a zone. A local time skipped by a daylight saving change maps to
 * the instant of the change; a repeated one has two instants.
 */
function toInstant(zone: string, wall: number, which: "first" | "last"): number {
  const offsets = [offsetAt(zone, wall - day), offsetAt(zone, wall + day)];
  const candidates = offsets.map((offset) => wall - offset);
  const shown = candidates.filter((at) => wallClock(zone, at) === wall);
  if (shown.length > 0) return which === "first" ? Math.min(...shown) : Math.max(...shown);
  let [low, high] = [Math.min(...candidates), Math.max(...candidates)];
  const before = offsetAt(zone, low);
  while (high - low > 1_000) {
    const middle = Math.floor((low + high) / 2_000) * 1_000;
    if (offsetAt(zone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

const parseMinutes = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));

/**
 * The window of a recurring silence that contains an instant, else the next one; null when there is none within two
 * weeks.
 */
export function windowAt({ days, from, to, time_zone: zone }: Recurrence, at: Date): SilenceWindow | null {
  const today = Math.floor(wallClock(zone, at.getTime()) / day) * day;
  // A window past midnight belongs to the day it starts on.
  const overnight = parseMinutes(to) <= parseMinutes(from) ? day : 0;
  for (let step = -1; step <= 14; step++) {
    const date = today + step * day;
    if (!days.includes(new Date(date).getUTCDay())) continue;
    const starts = toInstant(zone, date + parseMinutes(from) * minute, "first");
    const ends = toInstant(zone, date + overnight + parseMinutes(to) * minute, "last");
    if (ends > at.getTime() && ends > starts) return { starts: new Date(starts), ends: new Date(ends) };
  }
  return null;
}

/** Whether a silence mutes at an instant between its start and end; one without recurrence always does. */
export function mutesAt(recurrence: Recurrence | null, at: Date): boolean {
  if (recurrence === null) return true;
  const window = windowAt(recurrence, at);
  return window !== null && window.starts <= at;
}
