import { z } from "zod";
import { leafEvidenceMembers } from "@/domain/conditions/evidence";
import {
  checkComparison,
  checkField,
  countOperatorSchema,
  fieldModeSchema,
  fieldSchema,
  operatorSchema,
  report,
  requiredDuration,
  sharedMembers,
  topicSchema,
  valueSchema,
} from "@/domain/conditions/members";
import { expects } from "@/domain/field-messages";

const filter = ["field", "operator", "value"] as const;

export const frequencySchema = z
  .object({
    type: z.literal("frequency"),
    topic: topicSchema,
    count_operator: countOperatorSchema,
    count: z
      .int({ error: expects("A valid integer is required.") })
      .min(0, { error: "Ensure this value is greater than or equal to 0." }),
    window: requiredDuration,
    /** With these three, only messages that meet them are counted. */
    field: fieldSchema.optional(),
    field_mode: fieldModeSchema,
    operator: operatorSchema.optional(),
    value: valueSchema.optional(),
    ...sharedMembers,
  })
  .superRefine((condition, issues) => {
    const { topic, field, operator, value } = condition;
    if (field !== undefined) checkField({ topic, field }, issues);
    if (operator !== undefined && value !== undefined) checkComparison({ operator, value }, [], issues);
    if (filter.every((name) => condition[name] === undefined)) return;
    for (const name of filter) {
      if (condition[name] === undefined) report(issues, [name], "This field is required.");
    }
  });
export type FrequencyCondition = z.infer<typeof frequencySchema>;

export const frequencyEvidence = z.object({ type: z.literal("frequency"), ...leafEvidenceMembers });
export type FrequencyEvidence = z.infer<typeof frequencyEvidence>;
