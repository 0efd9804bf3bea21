import type { JsonValue } from "@/domain/conditions/evidence";
import { holdsNumbers } from "@/domain/conditions/field-warnings";
import { filled, type LeafKind } from "@/domain/conditions/kind";
import { getSign, type Comparand, type Operator } from "@/domain/conditions/operators";
import { comparison, fieldPhrase, durationPhrase, short, thresholdText, valueText } from "@/domain/conditions/phrases";
import type { RateCondition, RateEvidence } from "@/domain/conditions/rate-schema";
import { changeSentence } from "@/domain/conditions/sentences";

/** `rises faster than 5`; null where the operator and the sign of the value name no direction. */
function direction(operator: string | null, value: Comparand | JsonValue[] | null): string | null {
  const number = typeof value === "object" ? NaN : Number(value);
  const size = String(value).replace(/^[+-]/, "");
  if (operator === "gt" && number >= 0) return `rises faster than ${size}`;
  if (operator === "gte" && number > 0) return `rises at least ${size}`;
  if (operator === "lt" && number <= 0) return `falls faster than ${size}`;
  if (operator === "lte" && number < 0) return `falls at least ${size}`;
  return null;
}

const change = (operator: Operator, value: RateCondition["value"]): string =>
  `${direction(operator, value) ?? `changes ${comparison(operator, value)}`} per second`;

const describeChange = ({ operator, value, over, window }: RateCondition): string =>
  `${change(operator, value)}${durationPhrase("over", over)}${durationPhrase("for", window)}`;

export const rate: LeafKind<RateCondition, RateEvidence> = {
  label: "Rate",
  example: "rises faster than 5 per second",
  initial: { type: "rate", topic: "", field: "", operator: "gt" },
  isComplete: ({ topic, field, value }) => filled(topic) && filled(field) && value !== undefined && value !== "",
  comparesOverTime: true,
  valueOnFieldScale: false,
  reads: ({ field, field_mode: mode = "any" }) => ({ field, mode, keepsPlaces: mode === "any" || mode === "all" }),
  describe: (condition) => {
    const { field, field_mode, recover } = condition;
    const until = recover ? ` until ${comparison(recover.operator, recover.value)} per second` : "";
    return `${fieldPhrase(field_mode, field)} ${describeChange(condition)}${until}`;
  },
  describeMet: changeSentence,
  warnings: ({ field, field_mode }, seen) => {
    if (field_mode === "count" || holdsNumbers(seen)) return [];
    return seen.kinds.has("boolean")
      ? [`${field} of ${seen.topic} is true or false, which has no rate.`]
      : [`${field} of ${seen.topic} is text; it has a rate only where the text is a number.`];
  },
  criterion: ({ operator, value, window }) => ({ operator, threshold: value, window: window ?? null }),
  describeEvidence: ({ operator, threshold, window }) => {
    const compared = `changes ${getSign(operator ?? "")} ${thresholdText(threshold)}`;
    return `${direction(operator, threshold) ?? compared} per second${durationPhrase("for", window)}`;
  },
  unit: "per s",
  describeOrigin: ({ earlier, later }) => {
    if (!earlier || !later) return null;
    const seconds = Number(BigInt(later[0]) - BigInt(earlier[0])) / 1e9;
    return `${valueText(earlier[1])} → ${valueText(later[1])} in ${short(seconds)} s`;
  },
};
