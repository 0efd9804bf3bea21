import { z } from "zod";

/**
 * The state of the demo fleet. `making`: being created; `failed`: out of attempts, to be removed and started again.
 * Counts are of demo rows only.
 */
export const DemoStatus = z.object({
  state: z.enum(["none", "making", "ready", "failed"]),
  devices: z.int(),
  uploaded: z.int().describe("Of `planned_recordings`."),
  processed: z.int().describe("Of `planned_recordings`."),
  planned_recordings: z.int(),
  alerts: z.int(),
  hidden: z.boolean().describe("Whether lists and counts leave it out."),
  alert_id: z.string().nullable().describe("The most severe open alert."),
});
export type DemoStatus = z.output<typeof DemoStatus>;
