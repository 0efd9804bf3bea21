import { z } from "zod";
import { type boundNames, metricKinds } from "@/domain/health/meanings";

export const MetricBounds = z
  .object({
    warning_min: z.number().nullable(),
    warning_max: z.number().nullable(),
    critical_min: z.number().nullable(),
    critical_max: z.number().nullable(),
  } satisfies Record<(typeof boundNames)[number], z.ZodType>)
  .describe("Beyond which values are a warning or critical, in the unit that is sent; null for none.");

/** What an organization says about a metric; null where it says nothing. */
export const MetricMeaning = z.object({
  device_type: z.string().describe("Empty for every type."),
  label: z.string().nullable(),
  unit: z.string().nullable(),
  kind: z.enum(metricKinds).nullable(),
  rank: z.int().nullable(),
  bounds: MetricBounds.nullable(),
});
export type MetricMeaning = z.output<typeof MetricMeaning>;
