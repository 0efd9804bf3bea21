import type { ItemStatus } from "@/domain/datasets/item-status";

const series = [
  "var(--series-1)",
  "var(--series-2)",
  "var(--series-3)",
  "var(--series-4)",
  "var(--series-5)",
  "var(--series-6)",
  "var(--series-7)",
  "var(--series-8)",
] as const;

/** The colour of a label, the same wherever it is shown. */
export function labelColour(label: string): string {
  let hash = 0;
  for (const character of label) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return series[hash % series.length] ?? series[0];
}

export const statusColours: Readonly<Record<ItemStatus, string>> = {
  pending: "var(--border)",
  unattempted: "var(--border-strong)",
  ready_for_annotation: "var(--accent)",
  in_progress: "var(--maintenance)",
  completed: "var(--info)",
  rework_required: "var(--warning)",
  customer_approved: "var(--online)",
};
