import { z } from "zod";
import { ShownRows } from "@/domain/demo/schema";
import { choice, nonBlank, pageFields, text, uid } from "@/domain/fields";
import { maxReasonLength } from "@/domain/limits";
import { activityRanges, deviceGroupings } from "@/domain/overview/groupings";
import { timestamp } from "@/domain/time/fields";

/** `since`: when the caller's day began in their time zone. */
export const TilesRequest = ShownRows.extend({ since: timestamp() });

/** A group by its uid, or the devices that are in none. */
const NamedGroup = z.union([z.literal("none"), uid("group")]);
export type NamedGroup = z.output<typeof NamedGroup>;
/** Of a group or of the whole fleet, the robots that are fine or those that are not. */
export const RobotsRequest = ShownRows.extend({ group: NamedGroup.optional(), fine: z.boolean() }).extend(pageFields());
export type RobotsRequest = z.output<typeof RobotsRequest>;

export const SearchRequest = ShownRows.extend({ text: nonBlank(255) });
/** A moment, and words of a device's name; without words, of all devices. */
export const RecordingsAtRequest = ShownRows.extend({ text: text(255), at: timestamp() });
export type RecordingsAtRequest = z.output<typeof RecordingsAtRequest>;
export const ActivityRequest = ShownRows.extend({ range: choice(activityRanges) });

export const GroupDevices = ShownRows.extend({ by: choice(deviceGroupings) });

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

export const DeviceAlerts = OneDevice.extend(pageFields());
export type DeviceAlerts = z.output<typeof DeviceAlerts>;

export const DeviceChanges = OneDevice.extend(pageFields());
export type DeviceChanges = z.output<typeof DeviceChanges>;
