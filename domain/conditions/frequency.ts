import type { JsonValue } from "@/domain/conditions/evidence";
import { orderingWarnings } from "@/domain/conditions/field-warnings";
import type { FrequencyCondition, FrequencyEvidence } from "@/domain/conditions/frequency-schema";
import { filled, type LeafKind } from "@/domain/conditions/kind";
import { compareMetric, type MetricMeaning } from "@/domain/conditions/metric";
import { getCountPhrase, getSign, isCountOperator, type CountOperator } from "@/domain/conditions/operators";
import { comparison, fieldPhrase, short, thresholdText } from "@/domain/conditions/phrases";
import { spanText } from "@/domain/conditions/sentences";
import { heartbeatTopic } from "@/domain/conditions/topics";

function describe(condition: FrequencyCondition): string {
  const { field, operator, value, count, window } = condition;
  const only =
    field === undefined || operator === undefined || value === undefined
      ? ""
      : ` with ${fieldPhrase(condition.field_mode, field)} ${comparison(operator, value)}`;
  return `${getCountPhrase(condition.count_operator)} ${count} messages${only} in ${window}`;
}

/** ` with Battery below 20 %`; nothing where all heartbeats count. */
const metricPhrase = ({ operator, value }: FrequencyCondition, metric: MetricMeaning | null): string =>
  metric === null || operator === undefined || value === undefined
    ? ""
    : ` with ${metric.label} ${compareMetric(operator, value, metric)}`;

const amount = (value: JsonValue, one: string): string =>
  value === 0 ? `no ${one}s` : value === 1 ? `1 ${one}` : `${short(value)} ${one}s`;

/** How many would not have triggered it. */
const expected: Record<CountOperator, string | null> = {
  gt: "at most",
  gte: "fewer than",
  lt: "at least",
  lte: "more than",
  eq: null,
  neq: "exactly",
};

/** ` (at least 3 expected)`; nothing where the amount says it. */
function normally({ count_operator: compared, count }: FrequencyCondition, seen: JsonValue): string {
  const normal = expected[compared];
  return normal === null || (seen === 0 && compared === "lt" && count === 1) ? "" : ` (${normal} ${count} expected)`;
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
  describeMet: (condition, seen) => {
    const { field, operator, value, window } = condition;
    const only =
      field === undefined || operator === undefined || value === undefined
        ? ""
        : ` with ${fieldPhrase(condition.field_mode, field)} ${comparison(operator, value)}`;
    return `${amount(seen.value, "message")} on ${seen.topic}${only} in ${spanText(window)}${normally(condition, seen.value)}`;
  },
  onHeartbeats: {
    describe: (condition, metric) => {
      const { count_operator: compared, count, window } = condition;
      const counted = `${getCountPhrase(compared)} ${count} ${count === 1 ? "heartbeat" : "heartbeats"}`;
      return `${counted}${metricPhrase(condition, metric)} in ${spanText(window)}`;
    },
    describeMet: (condition, seen, metric) => {
      const phrase = `${amount(seen.value, "heartbeat")}${metricPhrase(condition, metric)}`;
      return `${phrase} in ${spanText(condition.window)}${normally(condition, seen.value)}`;
    },
  },
  warnings: ({ operator, field, field_mode }, seen) =>
    operator === undefined || field === undefined ? [] : orderingWarnings({ operator, field, field_mode }, seen),
  criterion: ({ count_operator, count, window }) => ({ operator: count_operator, threshold: count, window }),
  describeEvidence: ({ topic, operator, threshold, window }) =>
    topic === heartbeatTopic && isCountOperator(operator)
      ? `${getCountPhrase(operator)} ${thresholdText(threshold)} in ${spanText(window ?? "")}`
      : `${getSign(operator ?? "")} ${thresholdText(threshold)} messages in ${window ?? ""}`,
  unit: "messages",
  describeOrigin: () => null,
};
