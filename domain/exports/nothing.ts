import type { ExportContents } from "@/domain/exports/schema";

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** Why an export that holds no item has none, as a sentence for people. */
export function describeNothing(losses: ExportContents["losses"]): string {
  const reasons = losses.flatMap(({ what, count }) => {
    if (what === "item_dropped") return [plural(count, "item is no picture", "items are no pictures")];
    if (what === "unlabelled_dropped") return [plural(count, "picture has no result", "pictures have no result")];
    if (what === "unboxed_dropped")
      return [plural(count, "picture has no shape", "pictures have no shape").concat(" that the format holds")];
    if (what === "undecided_dropped")
      return [plural(count, "picture has no accepted result", "pictures have no accepted result")];
    return [];
  });
  return reasons.length === 0
    ? "There is nothing to export: no item matches."
    : `There is nothing to export: ${reasons.join(", ")}.`;
}
