import { filled, type LeafKind } from "@/domain/conditions/kind";
import { metricText } from "@/domain/conditions/metric";
import type { PatternCondition, PatternEvidence } from "@/domain/conditions/pattern-schema";
import { fieldPhrase, short, thresholdText, valueText } from "@/domain/conditions/phrases";
import { subject } from "@/domain/conditions/sentences";

export const pattern: LeafKind<PatternCondition, PatternEvidence> = {
  label: "Pattern",
  example: "/rosout msg matches (?i)timeout",
  initial: { type: "pattern", topic: "", field: "", regex: "" },
  isComplete: ({ topic, field, regex }) => filled(topic) && filled(field) && filled(regex),
  comparesOverTime: false,
  valueOnFieldScale: false,
  reads: ({ field, field_mode }) => ({ field, mode: field_mode ?? "any", keepsPlaces: false }),
  describe: ({ field, field_mode, regex }) => `${fieldPhrase(field_mode, field)} matches /${regex}/`,
  describeMet: ({ field, field_mode }, seen) => {
    const [text] = Array.isArray(seen.value) ? seen.value : [seen.value];
    return `${subject(seen.topic, field, field_mode)}: ${short(typeof text === "string" ? valueText(text) : (text ?? null))}`;
  },
  onHeartbeats: {
    describe: (condition, metric) =>
      metric === null ? pattern.describe(condition) : `${metric.label} matches /${condition.regex}/`,
    describeMet: (condition, seen, metric) =>
      metric === null ? pattern.describeMet(condition, seen) : `${metric.label} is ${metricText(seen.value, metric)}`,
  },
  warnings: () => [],
  criterion: ({ regex }) => ({ operator: "matches", threshold: regex, window: null }),
  describeEvidence: ({ threshold }) => `matches ${thresholdText(threshold)}`,
  unit: "",
  describeOrigin: () => null,
};
