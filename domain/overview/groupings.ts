/** What the device list can be grouped by, and how far back the overview looks. */

export const activityRanges = ["24h", "7d", "30d"] as const;
export type ActivityRange = (typeof activityRanges)[number];
export const deviceGroupings = ["type", "tag", "firmware"] as const;
export type DeviceGrouping = (typeof deviceGroupings)[number];
