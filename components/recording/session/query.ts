import type { Outputs } from "@/components/trpc/client";

export type RecordingDetail = Outputs["recordings"]["get"];
export type RecordingTopic = RecordingDetail["topics"][number];
export type Lanes = Outputs["recordings"]["lanes"];
export type EventLane = Outputs["recordings"]["events"];
export type LaneEvent = EventLane["events"][number];

/** Limit of plots, so that each is large enough to be read. */
export const maxPlots = 8;

/** Pixels that names of lanes take beside the chart unless somebody moved its border; plots draw their values' axis in the last 56 of them. */
export const labelWidth = { wide: 208, narrow: 88 };
