import { z } from "zod";
import { choice, timestamp } from "@/server/fields";

export const activityRanges = ["24h", "7d", "30d"] as const;
export type ActivityRange = (typeof activityRanges)[number];
export const fleetGroups = ["type", "tag"] as const;
export type FleetGroup = (typeof fleetGroups)[number];

/** `since`: when the caller's day began, by their own clock. */
export const TilesRequest = z.object({ since: timestamp() });
export const FleetRequest = z.object({ by: choice(fleetGroups) });
export const ActivityRequest = z.object({ range: choice(activityRanges) });
