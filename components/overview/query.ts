import type { Outputs } from "@/components/trpc/client";
import { activityRanges, fleetGroups, type ActivityRange, type FleetGroup } from "@/domain/overview/groupings";

export type Tiles = Outputs["overview"]["tiles"];
export type Fleet = Outputs["overview"]["fleet"];
export type FleetCell = Fleet["blocks"][number]["cells"][number];
export type Activity = Outputs["overview"]["activity"];

/** Refetched on a timer too: heartbeats that change no state are not announced. */
export const refreshMs = 30_000;

type Parameter = string | string[] | undefined;
const one = (value: Parameter) => (Array.isArray(value) ? value[0] : value);

/** The address's parameters; anything invalid is the default, in the server's prefetch as in the browser. */
export const readBy = (value: Parameter): FleetGroup => fleetGroups.find((each) => each === one(value)) ?? "type";
export const readRange = (value: Parameter): ActivityRange =>
  activityRanges.find((each) => each === one(value)) ?? "7d";

/** When today began, in UTC or by the browser's clock. */
export function dayStart(utc: boolean, now: number): string {
  const day = new Date(now);
  if (utc) day.setUTCHours(0, 0, 0, 0);
  else day.setHours(0, 0, 0, 0);
  return day.toISOString();
}

/** A count as text; `+` where counting stopped at the ceiling. */
export const counted = (count: number, ceiling: number): string =>
  count > ceiling ? `${ceiling.toLocaleString("en-US")}+` : count.toLocaleString("en-US");
