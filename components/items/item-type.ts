import type { Outputs } from "@/components/trpc/client";

/** An item as its page has it. */
export type ViewedItem = Outputs["items"]["get"];

/** A number of an item's metadata; null where it has none. */
export function readNumber({ metadata }: Pick<ViewedItem, "metadata">, name: string): number | null {
  const value = metadata[name];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
