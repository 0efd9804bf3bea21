import { readExactTime } from "@/components/kit/filters";
import { fromWallClock, zoneOffset } from "@/components/kit/format";
import { msFromNs } from "@/domain/time/nanoseconds";
import { parseSpanMs } from "@/domain/time/relative";
import { parseTypedMoment } from "@/domain/time/typed-moment";

const dayMs = 86_400_000;
const toIso = (at: number): string => new Date(at).toISOString();

/** The filter's value for the time between two instants (ms). */
export const formatCovered = (from: number, to: number): string => `${toIso(from)}/${toIso(to)}`;

/**
 * What a typed text means as the time that recordings cover: an instant such as `14:10` or `tue 14:10`, all of a day such
 * as `yesterday`, `tue` or `2026-11-24`, or what the address holds; null for any other text.
 */
export function readCovered(text: string, now: number, zone: string): string | null {
  const typed = text.trim();
  const isSpan = typed.startsWith("-") && parseSpanMs(typed.slice(1)) !== null;
  if (isSpan || typed.split("/").every((part) => readExactTime(part) !== null)) return typed;
  const offset = (at: number) => zoneOffset(at, zone);
  const moment = parseTypedMoment(typed, now, offset);
  if (moment) return moment.rest === "" ? toIso(msFromNs(moment.at)) : null;
  const midnight = parseTypedMoment(`${typed} 00:00`, now, offset);
  // A time alone is no day.
  if (midnight?.rest !== "" || typed === "") return null;
  const from = msFromNs(midnight.at);
  return formatCovered(from, fromWallClock(from + offset(from) + dayMs, zone));
}
