import { z } from "zod";
import { leafEvidenceMembers } from "@/domain/conditions/evidence";
import {
  checkComparison,
  checkField,
  fieldModeSchema,
  fieldSchema,
  heldMembers,
  sharedMembers,
  topicSchema,
} from "@/domain/conditions/members";

export const thresholdSchema = z
  .object({
    type: z.literal("threshold"),
    topic: topicSchema,
    field: fieldSchema,
    field_mode: fieldModeSchema,
    ...heldMembers,
    ...sharedMembers,
  })
  .superRefine((condition, issues) => {
    checkField(condition, issues);
    checkComparison(condition, [], issues);
    if (condition.recover) checkComparison(condition.recover, ["recover"], issues);
  });
export type ThresholdCondition = z.infer<typeof thresholdSchema>;

export const thresholdEvidence = z.object({ type: z.literal("threshold"), ...leafEvidenceMembers });
export type ThresholdEvidence = z.infer<typeof thresholdEvidence>;
