import type { JsonValue } from "@/domain/conditions/evidence";
import { isRange, type Operator } from "@/domain/conditions/operators";
import { roundedText, spanText } from "@/domain/conditions/sentences";
import { formatMetric, guessMeaning, type Meaning, type MetricValue } from "@/domain/health/meanings";

/** What metrics of heartbeats are called in conditions on them, and how their values are written. */

export type MetricMeaning = Pick<Meaning, "label" | "unit" | "kind">;

/** What a metric means; `sample`, a value of it, tells fractions from per cent. */
export type ReadMeaning = (name: string, sample: MetricValue | null) => MetricMeaning;

/** Its name alone, where nothing is about heartbeats: what guesses is more than threads of pages need to load. */
export const readName: ReadMeaning = (name) => ({ label: name, unit: "", kind: "gauge" });

/** What its name lets guess. */
export const readGuess: ReadMeaning = guessMeaning;

/** The value that tells most of a metric's scale: the number that is farthest from 0, else a text or boolean. */
export function pickSample(values: readonly unknown[]): MetricValue | null {
  const all = values.flat().map((each) => (typeof each === "string" ? parseNumber(each) : each));
  const numbers = all.filter((each) => typeof each === "number");
  if (numbers.length > 0) return numbers.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a));
  return all.find((each) => typeof each === "string" || typeof each === "boolean") ?? null;
}

/** The number that a text is; the text where it is none. */
function parseNumber(text: string): number | string {
  const number = text.trim() === "" ? NaN : Number(text);
  return Number.isNaN(number) ? text : number;
}

/** How amounts of a metric end, and by what they are multiplied for people: fractions are per cent. */
export const amountOf100 = ({ unit, kind }: MetricMeaning): { unit: string; times: number } =>
  kind === "fraction" ? { unit: "%", times: 100 } : { unit: kind === "percent" ? "%" : unit, times: 1 };

/** A number without what binary fractions add: 0.07 × 100 is 7. */
export const toScale = (value: number, times: number): number => Number((value * times).toPrecision(12));

/** A value for people: `13 %`, `auto`. It never reads like one of `limits` that it is not. */
export function metricText(value: JsonValue, metric: MetricMeaning, limits: JsonValue = []): string {
  const [first = null] = Array.isArray(value) ? value : [value];
  const own = typeof first === "string" ? parseNumber(first) : first;
  if (typeof own !== "number") return own === null || Array.isArray(own) ? "–" : formatMetric(own, metric);
  const text = formatMetric(own, metric);
  const others = [limits].flat().map((each) => (typeof each === "string" ? parseNumber(each) : each));
  const numbers = others.filter((each) => typeof each === "number" && each !== own);
  if (numbers.every((each) => typeof each !== "number" || formatMetric(each, metric) !== text)) return text;
  const { unit, times } = amountOf100(metric);
  const exact = roundedText(
    toScale(own, times),
    numbers.map((each) => toScale(Number(each), times)),
  );
  return unit === "" ? exact : `${exact} ${unit}`;
}

const words: Record<Operator, string> = {
  gt: "above",
  gte: "at least",
  lt: "below",
  lte: "at most",
  eq: "is",
  neq: "is not",
  between: "between",
  outside: "outside",
};

/** `below 20 %`, `between 10 % and 20 %`, `is not auto`. */
export function compareMetric(operator: Operator, bounds: JsonValue, metric: MetricMeaning): string {
  const ends = [bounds].flat().map((each) => metricText(each, metric));
  return `${words[operator]} ${ends.join(isRange(operator) ? (operator === "between" ? " and " : " to ") : ", ")}`;
}

/** ` for 5 min`; nothing without a duration. */
export const spanPhrase = (word: string, duration: string | null | undefined): string =>
  duration ? ` ${word} ${spanText(duration)}` : "";
