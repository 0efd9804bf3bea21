import { z } from "zod";
import { leafSchemas, type LeafEvidence } from "@/domain/conditions/schema-registry";

const leafEvidenceSchema: z.ZodType<LeafEvidence> = z.union(Object.values(leafSchemas).map(({ evidence }) => evidence));

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
