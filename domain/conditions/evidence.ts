import { z } from "zod";
import { metricKinds } from "@/domain/health/meanings";

/** A value as evidence shows it; JSON has no NaN, no infinities and no integers beyond 2^53, so these are texts. */
export type JsonValue = null | boolean | number | string | JsonValue[];

const jsonValueSchema: z.ZodType<JsonValue> = z.lazy(() =>
  z.union([z.null(), z.boolean(), z.number(), z.string(), z.array(jsonValueSchema)]),
);

/** `[time, value]`; times are decimal strings of nanoseconds. */
export const evidenceSample = z.tuple([z.string(), jsonValueSchema]);

/** Members that the evidence of every type of condition has. */
export const leafEvidenceMembers = {
  /** Position in the rule's condition: empty, or `conditions.0.conditions.1`. */
  path: z.string(),
  topic: z.string(),
  field: z.string().nullable(),
  holds: z.boolean(),
  /** The last value known at the trigger: of the field, a count of messages, or seconds of silence. */
  value: jsonValueSchema,
  /** The unit of the field, where its schema names one; only the evidence of alerts has it. */
  unit: z.string().nullable().optional(),
  /** What the metric meant whose value it is; only of rules about heartbeats, null where these are counted. */
  metric: z
    .object({ label: z.string(), unit: z.string(), kind: z.enum(metricKinds) })
    .nullable()
    .optional(),
  /** A decimal string of nanoseconds. */
  value_at: z.string().nullable(),
  operator: z.string().nullable(),
  threshold: jsonValueSchema,
  window: z.string().nullable(),
  /** Samples of the field around the trigger, oldest first. */
  samples: z.array(evidenceSample),
};

export type LeafEvidenceMembers = z.infer<z.ZodObject<typeof leafEvidenceMembers>>;

/** What the condition required, as evidence stores it. */
export type Criterion = Pick<LeafEvidenceMembers, "operator" | "threshold" | "window">;
