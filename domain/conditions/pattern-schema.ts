import { z } from "zod";
import { leafEvidenceMembers } from "@/domain/conditions/evidence";
import { compilePattern, PatternError } from "@/domain/conditions/expressions";
import {
  checkField,
  fieldModeSchema,
  fieldSchema,
  report,
  sharedMembers,
  topicSchema,
} from "@/domain/conditions/members";
import { expects } from "@/domain/field-messages";

export const patternSchema = z
  .object({
    type: z.literal("pattern"),
    topic: topicSchema,
    field: fieldSchema,
    field_mode: fieldModeSchema,
    regex: z.string({ error: expects("Not a valid string.") }).superRefine((regex, issues) => {
      try {
        compilePattern(regex);
      } catch (error) {
        if (!(error instanceof PatternError)) throw error;
        report(issues, [], error.message);
      }
    }),
    ...sharedMembers,
  })
  .superRefine(checkField);
export type PatternCondition = z.infer<typeof patternSchema>;

export const patternEvidence = z.object({ type: z.literal("pattern"), ...leafEvidenceMembers });
export type PatternEvidence = z.infer<typeof patternEvidence>;
