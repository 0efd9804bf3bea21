import type { z } from "zod";
import { absenceEvidence, absenceSchema } from "@/domain/conditions/absence-schema";
import type { JsonValue, LeafEvidenceMembers } from "@/domain/conditions/evidence";
import { frequencyEvidence, frequencySchema } from "@/domain/conditions/frequency-schema";
import { patternEvidence, patternSchema } from "@/domain/conditions/pattern-schema";
import { rateEvidence, rateSchema } from "@/domain/conditions/rate-schema";
import { thresholdEvidence, thresholdSchema } from "@/domain/conditions/threshold-schema";

/** The schemas of conditions on one topic and of their evidence, by type; other registries are typed after this one. */
export const leafSchemas = {
  threshold: { condition: thresholdSchema, evidence: thresholdEvidence },
  rate: { condition: rateSchema, evidence: rateEvidence },
  pattern: { condition: patternSchema, evidence: patternEvidence },
  frequency: { condition: frequencySchema, evidence: frequencyEvidence },
  absence: { condition: absenceSchema, evidence: absenceEvidence },
};

export type LeafType = keyof typeof leafSchemas;
export type LeafConditionOf<Type extends LeafType> = z.output<(typeof leafSchemas)[Type]["condition"]>;
export type LeafEvidenceOf<Type extends LeafType> = z.output<(typeof leafSchemas)[Type]["evidence"]>;
/** A condition on one topic. */
export type LeafCondition = LeafConditionOf<LeafType>;
/** One leaf of a rule at the instant of a trigger. */
export type LeafEvidence = LeafEvidenceOf<LeafType>;
/** A value as the evidence of a type shows it, with the members specific to the type. */
export type ShownOf<Type extends LeafType> = { value: JsonValue } & Omit<
  LeafEvidenceOf<Type>,
  keyof LeafEvidenceMembers | "type"
>;
