import type { SilenceState } from "@/domain/silences/silence-state";
import type { Silence } from "./query";

export interface Recurrence {
  days: number[];
  from: string;
  to: string;
  time_zone: string;
}

/** By their number: 0 is Sunday. */
export const dayNames: readonly string[] = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
];
/** Days of the week from Monday on. */
export const weekdays: readonly number[] = [1, 2, 3, 4, 5, 6, 0];

/** `Mon–Fri`, `Sat, Sun`, `every day`. */
export function formatDays(days: readonly number[]): string {
  if (days.length === 7) return "every day";
  const places = weekdays.flatMap((day, at) => (days.includes(day) ? [at] : []));
  const runs: number[][] = [];
  for (const place of places) {
    const run = runs.at(-1);
    if (run && run.at(-1) === place - 1) run.push(place);
    else runs.push([place]);
  }
  const name = (place: number | undefined) => dayNames[weekdays[place ?? 0] ?? 0]?.slice(0, 3) ?? "";
  return runs
    .map((run) => (run.length > 2 ? `${name(run[0])}–${name(run.at(-1))}` : run.map(name).join(", ")))
    .join(", ");
}

/** `Mon–Fri 22:00–06:00 Europe/Berlin`. */
export const formatRecurrence = ({ days, from, to, time_zone: zone }: Recurrence): string =>
  `${formatDays(days)} ${from}–${to} ${zone}`;

/** The state of a silence: muting now, waiting for its hours or its start, expired. */
export function getState(
  silence: Pick<Silence, "state" | "muting">,
): "muting" | "waiting" | Exclude<SilenceState, "active"> {
  if (silence.state !== "active") return silence.state;
  return silence.muting ? "muting" : "waiting";
}

const hour = 3_600_000;

/** Active and ending within the hour, so that it may need to be extended. */
export const endsSoon = (silence: Pick<Silence, "state" | "ends_at">, now: number): boolean =>
  silence.state === "active" && Date.parse(silence.ends_at) - now < hour;
