import { filled, type LeafKind } from "@/domain/conditions/kind";
import type { PatternCondition, PatternEvidence } from "@/domain/conditions/pattern-schema";
import { fieldPhrase, short, thresholdText } from "@/domain/conditions/phrases";

export const pattern: LeafKind<PatternCondition, PatternEvidence> = {
  label: "Pattern",
  example: "/rosout msg matches (?i)timeout",
  initial: { type: "pattern", topic: "", field: "", regex: "" },
  isComplete: ({ topic, field, regex }) => filled(topic) && filled(field) && filled(regex),
  comparesOverTime: false,
  valueOnFieldScale: false,
  reads: ({ field, field_mode }) => ({ field, mode: field_mode ?? "any", keepsPlaces: false }),
  describe: ({ field, field_mode, regex }) => `${fieldPhrase(field_mode, field)} matches /${regex}/`,
  describeMet: ({ field, regex }, seen) => `${field} ${short(seen.value)} matches /${regex}/ on ${seen.topic}`,
  warnings: () => [],
  criterion: ({ regex }) => ({ operator: "matches", threshold: regex, window: null }),
  describeEvidence: ({ threshold }) => `matches ${thresholdText(threshold)}`,
  unit: "",
  describeOrigin: () => null,
};
