import type { JsonValue } from "@/domain/conditions/evidence";
import { holdsNumbers } from "@/domain/conditions/field-warnings";
import { filled, type LeafKind } from "@/domain/conditions/kind";
import { amountOf100, spanPhrase, toScale, type MetricMeaning } from "@/domain/conditions/metric";
import { getSign, isOperator, isRange, type Comparand, type Operator } from "@/domain/conditions/operators";
import { comparison, fieldPhrase, durationPhrase, short, thresholdText, valueText } from "@/domain/conditions/phrases";
import type { RateCondition, RateEvidence } from "@/domain/conditions/rate-schema";
import { changeSentence, roundedText } from "@/domain/conditions/sentences";

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

const listNumbers = (value: JsonValue): number[] =>
  [value]
    .flat()
    .map(Number)
    .filter((each) => !Number.isNaN(each));

const perSecond = (amount: string, metric: MetricMeaning): string => {
  const { unit } = amountOf100(metric);
  return `${amount}${unit === "" ? "" : ` ${unit}`} per second`;
};

/** `falls faster than 0.5 % per second` */
function metricChange(operator: Operator, value: Comparand | JsonValue[] | null, metric: MetricMeaning): string {
  const { times } = amountOf100(metric);
  const numbers = listNumbers(value).map((each) => toScale(each, times));
  const [first = 0] = numbers;
  return perSecond(
    (isRange(operator) ? null : direction(operator, first)) ??
      `changes ${comparison(operator, isRange(operator) ? numbers : first)}`,
    metric,
  );
}

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
  onHeartbeats: {
    describe: (condition, metric) => {
      if (metric === null) return rate.describe(condition);
      const { operator, value, over, window, recover } = condition;
      // By its name alone a metric may be a fraction or per cent, which no change of it tells apart.
      const known: MetricMeaning = metric.kind === "fraction" ? { ...metric, kind: "gauge" } : metric;
      const until = recover ? ` until it ${metricChange(recover.operator, recover.value, known)}` : "";
      const held = `${spanPhrase("over", over)}${spanPhrase("for", window)}`;
      return `${metric.label} ${metricChange(operator, value, known)}${held}${until}`;
    },
    describeMet: (condition, seen, metric) => {
      if (metric === null) return changeSentence(condition, seen);
      const { value, over, window } = condition;
      const speed = Number(Array.isArray(seen.value) ? seen.value[0] : seen.value);
      const limits = listNumbers(value).map((limit) => (speed < 0 ? -limit : limit));
      const { times } = amountOf100(metric);
      const size = roundedText(
        toScale(Math.abs(speed), times),
        limits.map((limit) => toScale(limit, times)),
      );
      const required = limits.map((limit) => toScale(limit, times)).join(" to ");
      const limit = `limit ${perSecond(required, metric)}${spanPhrase("over", over)}${spanPhrase("for", window)}`;
      return `${metric.label} ${speed < 0 ? "falls" : "rises"} ${perSecond(size, metric)} (${limit})`;
    },
  },
  warnings: ({ field, field_mode }, seen) => {
    if (field_mode === "count" || holdsNumbers(seen)) return [];
    return seen.kinds.has("boolean")
      ? [`${field} of ${seen.topic} is true or false, which has no rate.`]
      : [`${field} of ${seen.topic} is text; it has a rate only where the text is a number.`];
  },
  criterion: ({ operator, value, window }) => ({ operator, threshold: value, window: window ?? null }),
  describeEvidence: ({ operator, threshold, window, metric }) => {
    if (metric && isOperator(operator))
      return `${metricChange(operator, threshold, metric)}${spanPhrase("for", window)}`;
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
