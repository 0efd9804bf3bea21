import { z } from "zod";
import { metricKinds } from "@/domain/health/meanings";
import { MetricBounds, MetricMeaning } from "@/server/features/health/resource";

const meaning = {
  name: z.string(),
  label: z.string(),
  unit: z.string().describe("Empty for none."),
  kind: z.enum(metricKinds).describe("`fraction`: from 0 to 1; `state`: texts and booleans."),
};

export const resolutions = ["raw", "5m", "1h"] as const;
export type Resolution = (typeof resolutions)[number];

/** A metric of a device over time. */
export const MetricSeries = z.object({
  ...meaning,
  resolution: z.enum(resolutions).describe("What the points were made of."),
  points: z
    .array(z.tuple([z.string(), z.number(), z.number(), z.number()]))
    .optional()
    .describe("Numbers: `[t, min, mean, max]`, `t` being when the values begin."),
  changes: z
    .array(z.tuple([z.string(), z.union([z.string(), z.boolean()])]))
    .optional()
    .describe("Texts and booleans: `[t, value]`, the first being in force at `since`."),
});
export type MetricSeries = z.output<typeof MetricSeries>;

export const DeviceMetrics = z.object({ since: z.string(), until: z.string(), names: z.array(MetricSeries) });
export type DeviceMetrics = z.output<typeof DeviceMetrics>;

/** A metric that devices of the organization have sent. */
export const Metric = z.object({
  ...meaning,
  rank: z.int().describe("Lower is shown first."),
  bounds: MetricBounds,
  guessed: z.boolean().describe("Whether nobody said it."),
  sample: z.union([z.number(), z.string(), z.boolean()]).nullable().describe("A value that one of them sent last."),
  devices: z.int().describe("How many have sent it."),
  meanings: z.array(MetricMeaning).describe("What is said."),
});
export type Metric = z.output<typeof Metric>;
