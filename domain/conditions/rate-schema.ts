import { z } from "zod";
import { evidenceSample, leafEvidenceMembers } from "@/domain/conditions/evidence";
import {
  checkComparison,
  checkField,
  fieldModeSchema,
  fieldSchema,
  heldMembers,
  optionalDuration,
  report,
  sharedMembers,
  topicSchema,
  type Issues,
} from "@/domain/conditions/members";
import { toBound } from "@/domain/conditions/number";
import { isOrdering, type Comparand, type Operator } from "@/domain/conditions/operators";

// A rate is always a number, so texts and booleans can never equal it.
function checkNumber(
  compared: { operator: Operator; value: Comparand | (number | string)[] },
  at: string[],
  issues: Issues,
): void {
  checkComparison(compared, at, issues);
  const { operator, value } = compared;
  if (isOrdering(operator) || Array.isArray(value)) return;
  if (typeof value === "boolean" || !toBound(value)) report(issues, [...at, "value"], "A valid number is required.");
}

export const rateSchema = z
  .object({
    type: z.literal("rate"),
    topic: topicSchema,
    field: fieldSchema,
    field_mode: fieldModeSchema,
    /** Minimum age of the sample that a value is compared with; by default it is the one before. */
    over: optionalDuration,
    ...heldMembers,
    ...sharedMembers,
  })
  .superRefine((condition, issues) => {
    checkField(condition, issues);
    checkNumber(condition, [], issues);
    if (condition.recover) checkNumber(condition.recover, ["recover"], issues);
  });
export type RateCondition = z.infer<typeof rateSchema>;

export const rateEvidence = z.object({
  type: z.literal("rate"),
  ...leafEvidenceMembers,
  /** The two samples that the rate in `value` was computed from; absent while no rate was known. */
  earlier: evidenceSample.optional(),
  later: evidenceSample.optional(),
});
export type RateEvidence = z.infer<typeof rateEvidence>;
