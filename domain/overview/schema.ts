import { z } from "zod";
import { DeviceFilters } from "@/domain/devices/schema";
import { choice, commaList, nonBlank, queryBoolean, uid } from "@/domain/fields";
import { maxReasonLength } from "@/domain/limits";
import { activityRanges, fleetGroups, deviceGroupings } from "@/domain/overview/groupings";
import { spanMs, timestamp } from "@/domain/time/fields";

/** `since`: when the caller's day began in their time zone. */
export const TilesRequest = z.object({ since: timestamp() });
export const FleetRequest = z.object({ by: choice(fleetGroups) });
export const SearchRequest = z.object({ text: nonBlank(255) });
export const ActivityRequest = z.object({ range: choice(activityRanges) });

/** The device list's filters: those of the API and those of the dashboard only. */
export const DeviceListFilters = DeviceFilters.extend({
  /** Any of these versions; `none` for devices that reported none. */
  firmware: commaList().optional(),
  /** At least one of these tags, while `tags` requires all. */
  any_tags: commaList().optional(),
  open_alerts: queryBoolean().optional(),
  /** In any of these groups, or in a group inside one of them. */
  group_id: commaList().optional(),
  /** Silent for at least this long, or without any heartbeat: `30m`, `6h`, `7d`. */
  not_seen_for: spanMs("Enter how long, such as 30m, 6h or 7d.").optional(),
});
export type DeviceListFilters = z.output<typeof DeviceListFilters>;

export const GroupDevices = z.object({ by: choice(deviceGroupings) });

const chosen = z.array(uid("device")).min(1).max(500, { error: "Choose at most 500 devices at once." });
export const TagDevices = z.object({
  device_ids: chosen,
  add: z.array(nonBlank(100)).max(20).optional(),
  remove: z.array(nonBlank(100)).max(20).optional(),
});
export type TagDevices = z.output<typeof TagDevices>;
export const MaintainDevices = z.object({ device_ids: chosen, until: timestamp(), reason: nonBlank(maxReasonLength) });
export type MaintainDevices = z.output<typeof MaintainDevices>;

export const TimelineRequest = z.object({ uid: uid("device"), from: timestamp(), to: timestamp() });
export const OneDevice = z.object({ uid: uid("device") });
