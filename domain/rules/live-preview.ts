import { z } from "zod";

/** One trigger of a condition on heartbeats; times to the millisecond. */
const LivePreviewHit = z.object({
  started_at: z.string(),
  triggered_at: z.string(),
  /** Null while it goes on. */
  ended_at: z.string().nullable(),
  /** The message that its alert would have. */
  text: z.string(),
});

const LivePreviewDevice = z.object({
  device_id: z.string(),
  device_name: z.string(),
  hit_count: z.int(),
  /** Until when its heartbeats were evaluated before a limit ended it; null where all were. */
  evaluated_until: z.string().nullable(),
  /** The last ones, newest first; `hit_count` counts all. */
  hits: z.array(LivePreviewHit),
});
export type LivePreviewDevice = z.output<typeof LivePreviewDevice>;

/** What a condition found in the heartbeats of the last days. */
export const LivePreview = z.object({
  since: z.string(),
  until: z.string(),
  days: z.number(),
  /** Devices in scope, those of them that were evaluated, those of these with heartbeats, and those with hits. */
  devices_total: z.int(),
  devices_evaluated: z.int(),
  devices_reporting: z.int(),
  device_count: z.int(),
  point_count: z.int(),
  /** Why devices were left out; null when none was. */
  limit: z.enum(["devices", "points", "time"]).nullable(),
  hit_count: z.int(),
  hits_per_day: z.number(),
  longest_seconds: z.number().nullable(),
  condition_text: z.string(),
  /** The message that an alert of one of the hits would have; null without a hit. */
  example_message: z.string().nullable(),
  /** Devices with hits, those with the most first; the last ones are left out beyond 2,000 hits. */
  devices: z.array(LivePreviewDevice),
});
export type LivePreview = z.output<typeof LivePreview>;
