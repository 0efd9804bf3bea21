import { orderingWarnings } from "@/domain/conditions/field-warnings";
import type { FrequencyCondition, FrequencyEvidence } from "@/domain/conditions/frequency-schema";
import { filled, type LeafKind } from "@/domain/conditions/kind";
import { getCountPhrase, getSign, type CountOperator } from "@/domain/conditions/operators";
import { comparison, fieldPhrase, short, thresholdText } from "@/domain/conditions/phrases";
import { spanText } from "@/domain/conditions/sentences";

function describe(condition: FrequencyCondition): string {
  const { field, operator, value, count, window } = condition;
  const only =
    field === undefined || operator === undefined || value === undefined
      ? ""
      : ` with ${fieldPhrase(condition.field_mode, field)} ${comparison(operator, value)}`;
  return `${getCountPhrase(condition.count_operator)} ${count} messages${only} in ${window}`;
}

/** How many would not have triggered it. */
const expected: Record<CountOperator, string | null> = {
  gt: "at most",
  gte: "fewer than",
  lt: "at least",
  lte: "more than",
  eq: null,
  neq: "exactly",
};

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
  describeMet: (condition, seen) => {
    const { field, operator, value, count_operator: compared, count, window } = condition;
    const amount = seen.value === 0 ? "no messages" : seen.value === 1 ? "1 message" : `${short(seen.value)} messages`;
    const only =
      field === undefined || operator === undefined || value === undefined
        ? ""
        : ` with ${fieldPhrase(condition.field_mode, field)} ${comparison(operator, value)}`;
    const normal = expected[compared];
    const limit =
      normal === null || (seen.value === 0 && compared === "lt" && count === 1) ? "" : ` (${normal} ${count} expected)`;
    return `${amount} on ${seen.topic}${only} in ${spanText(window)}${limit}`;
  },
  warnings: ({ operator, field, field_mode }, seen) =>
    operator === undefined || field === undefined ? [] : orderingWarnings({ operator, field, field_mode }, seen),
  criterion: ({ count_operator, count, window }) => ({ operator: count_operator, threshold: count, window }),
  describeEvidence: ({ operator, threshold, window }) =>
    `${getSign(operator ?? "")} ${thresholdText(threshold)} messages in ${window ?? ""}`,
  unit: "messages",
  describeOrigin: () => null,
};
