import type { ItemStatus } from "@/domain/datasets/item-status";

/** Colours that differ on light and dark pictures. */
const palette = ["#0ea5e9", "#f97316", "#22c55e", "#e11d48", "#a855f7", "#eab308", "#14b8a6", "#f472b6"] as const;

/** The colour of a label: that of its project where it has one, else the same one wherever the label is shown. */
export function labelColour(label: string, ofProject: string | null = null): string {
  if (ofProject !== null) return ofProject;
  let hash = 0;
  for (const character of label) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 9_973;
  return palette[hash % palette.length] ?? palette[0];
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
