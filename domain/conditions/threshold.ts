import { orderingWarnings } from "@/domain/conditions/field-warnings";
import { filled, type LeafKind } from "@/domain/conditions/kind";
import { compareMetric, metricText, spanPhrase } from "@/domain/conditions/metric";
import { getSign, isOperator } from "@/domain/conditions/operators";
import { comparison, fieldPhrase, durationPhrase, thresholdText, until } from "@/domain/conditions/phrases";
import { comparedSentence } from "@/domain/conditions/sentences";
import type { ThresholdCondition, ThresholdEvidence } from "@/domain/conditions/threshold-schema";

export const threshold: LeafKind<ThresholdCondition, ThresholdEvidence> = {
  label: "Threshold",
  example: "/motor/state temperature > 80 for 10s",
  initial: { type: "threshold", topic: "", field: "", operator: "gt" },
  isComplete: ({ topic, field, value }) => filled(topic) && filled(field) && value !== undefined && value !== "",
  comparesOverTime: true,
  valueOnFieldScale: true,
  reads: ({ field, field_mode }) => ({ field, mode: field_mode ?? "any", keepsPlaces: false }),
  describe: ({ field, field_mode, operator, value, window, recover }) =>
    `${fieldPhrase(field_mode, field)} ${comparison(operator, value)}${durationPhrase("for", window)}${until(recover)}`,
  describeMet: comparedSentence,
  onHeartbeats: {
    describe: (condition, metric) => {
      if (metric === null) return threshold.describe(condition);
      const { operator, value, window, recover } = condition;
      const until = recover ? ` until ${compareMetric(recover.operator, recover.value, metric)}` : "";
      return `${metric.label} ${compareMetric(operator, value, metric)}${spanPhrase("for", window)}${until}`;
    },
    describeMet: (condition, seen, metric) => {
      if (metric === null) return comparedSentence(condition, seen);
      const { operator, value, window } = condition;
      const [required, held] = [compareMetric(operator, value, metric), spanPhrase("for", window)];
      const reading = metricText(seen.value, metric, value);
      if (operator === "eq") return `${metric.label} is ${reading}${held}`;
      if (operator === "neq") return `${metric.label} is ${reading}, not ${metricText(value, metric)}${held}`;
      return `${metric.label} ${reading} (${required}${held})`;
    },
  },
  warnings: ({ operator, field, field_mode }, seen) => orderingWarnings({ operator, field, field_mode }, seen),
  criterion: ({ operator, value, window }) => ({ operator, threshold: value, window: window ?? null }),
  describeEvidence: ({ operator, threshold, window, metric }) =>
    metric && isOperator(operator)
      ? `${compareMetric(operator, threshold, metric)}${spanPhrase("for", window)}`
      : `${getSign(operator ?? "")} ${thresholdText(threshold)}${durationPhrase("for", window)}`,
  unit: "",
  describeOrigin: () => null,
};
