import { z } from "zod";

/**
 * The state of the demo fleet. `making`: being created; `failed`: out of attempts, to be removed and started again.
 * Counts are of demo rows only.
 */
export const DemoStatus = z.object({
  state: z.enum(["none", "making", "ready", "failed"]),
  devices: z.int(),
  uploaded: z.int().describe("How many of `planned_recordings` are uploaded."),
  processed: z.int().describe("How many of `planned_recordings` are processed."),
  planned_recordings: z.int(),
  planned_devices: z.int(),
  alerts: z.int(),
  hidden: z
    .boolean()
    .describe("Whether the dashboard leaves it out of lists and counts: there is a device of one's own."),
  alert_id: z.string().nullable().describe("The most severe unresolved alert with a recording."),
});
export type DemoStatus = z.output<typeof DemoStatus>;
