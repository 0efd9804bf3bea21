import { z } from "zod";
import { leafSchemas, type LeafEvidence } from "@/domain/conditions/schema-registry";

const leafEvidenceSchema: z.ZodType<LeafEvidence> = z.union(Object.values(leafSchemas).map(({ evidence }) => evidence));

/** Why a rule triggered; safe to store as JSON. */
export const ruleEvidenceSchema = z.object({
  rule_version: z.int(),
  /** The topic whose message or silence triggered the rule. */
  topic: z.string(),
  window: z.string().nullable(),
  leaves: z.array(leafEvidenceSchema),
  /** Later triggers that the cooldown suppressed. */
  suppressed: z.int(),
  /** The rule triggered so often that its evaluation stopped here. */
  storm: z.boolean(),
});
export type RuleEvidence = z.output<typeof ruleEvidenceSchema>;
