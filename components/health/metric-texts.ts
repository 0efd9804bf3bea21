import { formatMetric, type Meaning, type MetricKind } from "@/domain/health/meanings";

export const kindTexts: Readonly<Record<MetricKind, string>> = {
  gauge: "Number",
  fraction: "Fraction, 0 to 1",
  percent: "Per cent",
  counter: "Counter",
  state: "State",
};

/** The bounds of a metric in words: `Warning below 20 %, critical below 10 %`; null for none. */
export function describeBounds(meaning: Pick<Meaning, "bounds" | "unit" | "kind">): string | null {
  const { bounds } = meaning;
  const parts = [
    ["warning below", bounds.warning_min],
    ["warning above", bounds.warning_max],
    ["critical below", bounds.critical_min],
    ["critical above", bounds.critical_max],
  ] as const;
  const text = parts
    .flatMap(([word, bound]) => (bound === null ? [] : [`${word} ${formatMetric(bound, meaning)}`]))
    .join(", ");
  return text === "" ? null : text.charAt(0).toUpperCase() + text.slice(1);
}
