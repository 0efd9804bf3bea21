import { orderingWarnings } from "@/domain/conditions/field-warnings";
import type { FrequencyCondition, FrequencyEvidence } from "@/domain/conditions/frequency-schema";
import { filled, type LeafKind } from "@/domain/conditions/kind";
import { getCountPhrase, getSign } from "@/domain/conditions/operators";
import { comparison, fieldPhrase, short, thresholdText } from "@/domain/conditions/phrases";

function describe(condition: FrequencyCondition): string {
  const { field, operator, value, count, window } = condition;
  const only =
    field === undefined || operator === undefined || value === undefined
      ? ""
      : ` with ${fieldPhrase(condition.field_mode, field)} ${comparison(operator, value)}`;
  return `${getCountPhrase(condition.count_operator)} ${count} messages${only} in ${window}`;
}

export const frequency: LeafKind<FrequencyCondition, FrequencyEvidence> = {
  label: "Frequency",
  example: "fewer than 5 messages on /camera in 10s",
  initial: { type: "frequency", topic: "", count_operator: "gt", window: "10s" },
  isComplete: ({ topic, count, window }) => filled(topic) && count !== undefined && filled(window),
  comparesOverTime: false,
  valueOnFieldScale: true,
  reads: ({ field, field_mode }) =>
    field === undefined ? null : { field, mode: field_mode ?? "any", keepsPlaces: false },
  describe,
  describeMet: (condition, seen) =>
    `${short(seen.value)} messages in ${condition.window} on ${seen.topic}, ${describe(condition)}`,
  warnings: ({ operator, field, field_mode }, seen) =>
    operator === undefined || field === undefined ? [] : orderingWarnings({ operator, field, field_mode }, seen),
  criterion: ({ count_operator, count, window }) => ({ operator: count_operator, threshold: count, window }),
  describeEvidence: ({ operator, threshold, window }) =>
    `${getSign(operator ?? "")} ${thresholdText(threshold)} messages in ${window ?? ""}`,
  unit: "messages",
  describeOrigin: () => null,
};
