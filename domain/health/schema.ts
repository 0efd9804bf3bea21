import { z } from "zod";
import { atMostElements } from "@/domain/field-messages";
import { choice, clamped, commaList, nonBlank, pageFields, text } from "@/domain/fields";
import { metricName } from "@/domain/health/limits";
import { type boundNames, findUnordered, metricKinds } from "@/domain/health/meanings";
import { publishedAs } from "@/domain/published";
import { moment, timestamp } from "@/domain/time/fields";

/** Metrics of a device that are read together. */
export const maxSeriesNames = 20;

const seriesNames = () =>
  publishedAs(
    commaList()
      .refine((names) => names.length <= maxSeriesNames, { error: atMostElements(maxSeriesNames) })
      .optional(),
    z.array(z.string()).max(maxSeriesNames).optional(),
  ).describe("Only these metrics.");

/** Metrics of a device over time. Default: those that are shown first, of the last 24 hours. */
export const DeviceMetricsQuery = z.object({
  names: seriesNames(),
  since: timestamp().optional(),
  until: timestamp().optional(),
  points: clamped(2_000, 300, 9),
});
export type DeviceMetricsQuery = z.output<typeof DeviceMetricsQuery>;

/** The same for the dashboard, where times may be spans such as `-24h`. */
export const ScreenMetricsQuery = DeviceMetricsQuery.extend({
  since: moment().optional(),
  until: moment().optional(),
});

export const MetricFilters = z.object({ search: text(255).optional(), ...pageFields() });
export type MetricFilters = z.output<typeof MetricFilters>;

export const MetricName = z.object({
  name: z.string().regex(metricName, { error: "No such metric." }),
});

/** Device types for which an organization may say something else about one metric. */
export const maxMeaningTypes = 50;

const deviceType = text(100).describe("Of devices of this type; empty for every type.");
const bound = z.number().nullable().default(null);

/** Bounds of a metric, which ascend from `critical_min` over the warnings to `critical_max`. */
export const BoundsSchema = z
  .object({ warning_min: bound, warning_max: bound, critical_min: bound, critical_max: bound } satisfies Record<
    (typeof boundNames)[number],
    typeof bound
  >)
  .superRefine((bounds, issues) => {
    const wrong = findUnordered(bounds);
    if (!wrong) return;
    const [lower, upper] = wrong;
    issues.addIssue({ code: "custom", path: [upper], message: `Ensure this value is not below ${lower}.` });
  });

/** What is said about a metric. What is left out stays as it is; null is the guess. */
export const SaveMeaning = z
  .object({
    device_type: deviceType.default(""),
    label: nonBlank(60).nullable().optional(),
    unit: text(20).nullable().optional().describe("How its values end; empty for none."),
    kind: choice(metricKinds).nullable().optional().describe("What its values are."),
    rank: z.int().min(1).max(1_000).nullable().optional().describe("The lower, the earlier it is shown."),
    bounds: BoundsSchema.nullable().optional().describe("Beyond which values are a warning or critical."),
  })
  .meta({ example: { device_type: "amr", label: "Battery", bounds: { warning_min: 0.3, critical_min: 0.15 } } });
export type SaveMeaning = z.output<typeof SaveMeaning>;

export const MeaningScope = z.object({ device_type: deviceType.default("") });
