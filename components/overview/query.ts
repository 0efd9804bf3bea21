import { zoneOffset } from "@/components/kit/format";
import type { Inputs, Outputs } from "@/components/trpc/client";
import { activityRanges, type ActivityRange } from "@/domain/overview/groupings";

export type Tiles = Outputs["overview"]["tiles"];
export type Fleet = Outputs["overview"]["fleet"];
export type Robot = Fleet["robots"][number];
export type RobotsInput = Pick<Inputs["overview"]["robots"], "group" | "fine">;
export type RecordingInNeed = Outputs["overview"]["attention"][number];
export type Activity = Outputs["overview"]["activity"];

/** Refetched on a timer too: heartbeats that change no state are not announced. */
export const refreshMs = 30_000;

type Parameter = string | string[] | undefined;
const one = (value: Parameter) => (Array.isArray(value) ? value[0] : value);

/** The address's parameter; anything invalid is the default, in the server's prefetch as in the browser. */
export const readRange = (value: Parameter): ActivityRange =>
  activityRanges.find((each) => each === one(value)) ?? "7d";

const dayMs = 86_400_000;

/** When today began in a zone. */
export function dayStart(zone: string, now: number): string {
  const midnight = Math.floor((now + zoneOffset(now, zone)) / dayMs) * dayMs;
  // On the day that clocks change, the offset at midnight is another than now.
  return new Date(midnight - zoneOffset(midnight - zoneOffset(now, zone), zone)).toISOString();
}

/** A count as text; `+` where counting stopped at the ceiling. */
export const counted = (count: number, ceiling: number): string =>
  count > ceiling ? `${ceiling.toLocaleString("en-US")}+` : count.toLocaleString("en-US");
