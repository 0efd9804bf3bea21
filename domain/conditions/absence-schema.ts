import { z } from "zod";
import { leafEvidenceMembers } from "@/domain/conditions/evidence";
import { requiredDuration, sharedMembers, topicSchema } from "@/domain/conditions/members";

export const absenceSchema = z.object({
  type: z.literal("absence"),
  topic: topicSchema,
  timeout: requiredDuration,
  ...sharedMembers,
});
export type AbsenceCondition = z.infer<typeof absenceSchema>;

export const absenceEvidence = z.object({ type: z.literal("absence"), ...leafEvidenceMembers });
export type AbsenceEvidence = z.infer<typeof absenceEvidence>;
