import { formatNumber } from "@/components/kit/format";
import type { Threshold } from "@/components/plots/plot-types";
import type { Lanes } from "@/components/recording/session/query";
import { formatPath } from "@/components/recording/session/topic-path";

/** The values that rules compared a field with in this recording, each named after its rule; equal ones once. */
export function listRuleThresholds(lanes: Lanes | undefined, path: string): Threshold[] {
  const found = new Map<number, Threshold>();
  for (const { rule_id, rule_name, fields } of lanes?.rules ?? []) {
    const severity = lanes?.alerts.find((alert) => alert.rule_id === rule_id)?.severity ?? "warning";
    for (const field of fields) {
      if (formatPath(field) !== path) continue;
      for (const value of field.thresholds)
        if (!found.has(value)) found.set(value, { value, severity, label: `${rule_name}: ${formatNumber(value)}` });
    }
  }
  return [...found.values()];
}
