import { formatInstant, fromWallClock, zoneOffset } from "@/components/kit/format";
import { coverageSize } from "@/domain/recordings/schema";

const dayMs = 86_400_000;

/** Days of the calendar of a zone. */
export interface CalendarDays {
  /** `2026-11-24`, in order. */
  dates: readonly string[];
  /** When each begins (ms), and when the last one ends. */
  bounds: readonly number[];
}

/** When a day of a zone begins; days are counted from 1970. */
const findStart = (day: number, zone: string): number => fromWallClock(day * dayMs, zone);

/** The days that end with the one that holds an instant. */
export function listDays(last: number, zone: string): CalendarDays {
  const today = Math.floor((last + zoneOffset(last, zone)) / dayMs);
  const bounds = Array.from({ length: coverageSize.days + 1 }, (_, at) =>
    findStart(today - coverageSize.days + 1 + at, zone),
  );
  const dates = bounds.slice(0, -1).map((start) => formatInstant(start, zone, "day"));
  return { dates, bounds };
}

/** An instant of a day that an address names, `2026-11-24`; null for what names none. */
export function readDate(date: string, zone: string): number | null {
  const wall = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(wall) ? null : findStart(Math.floor(wall / dayMs), zone);
}

/** The day so many days after a date. */
export const shiftDate = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
