import { z } from "zod";
import type { JsonValue, LeafEvidence } from "@/domain/conditions/evidence";

const jsonValueSchema: z.ZodType<JsonValue> = z.lazy(() =>
  z.union([z.null(), z.boolean(), z.number(), z.string(), z.array(jsonValueSchema)]),
);

const leafEvidenceSchema: z.ZodType<LeafEvidence> = z.object({
  path: z.string(),
  type: z.enum(["threshold", "pattern", "frequency", "absence"] satisfies LeafEvidence["type"][]),
  topic: z.string(),
  field: z.string().nullable(),
  holds: z.boolean(),
  value: jsonValueSchema,
  value_at: z.string().nullable(),
  operator: z.string().nullable(),
  threshold: jsonValueSchema,
  window: z.string().nullable(),
  samples: z.array(z.tuple([z.string(), jsonValueSchema])),
});

/** Why a rule fired; safe to store as JSON. */
export const ruleEvidenceSchema = z.object({
  rule_version: z.int(),
  /** The topic whose message or silence made the rule fire. */
  topic: z.string(),
  window: z.string().nullable(),
  leaves: z.array(leafEvidenceSchema),
  /** Triggers that the cooldown swallowed after this one. */
  suppressed: z.int(),
  /** The rule fired so often that it was stopped here. */
  storm: z.boolean(),
});
export type RuleEvidence = z.output<typeof ruleEvidenceSchema>;
