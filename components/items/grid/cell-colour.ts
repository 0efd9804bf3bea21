import { labelColour, statusColours } from "@/components/items/item-colour";
import type { ItemCell } from "@/components/items/item-source";
import { formatNumber } from "@/components/kit/format";
import { itemStatusLabels } from "@/domain/datasets/item-status";
import type { Colouring } from "./grid-address";
import type { Predicted } from "./use-predictions";

interface CellColour {
  colour: string;
  text: string;
}

function ofPrediction({ label, score }: Predicted): CellColour {
  if (label === null) return { colour: "var(--border-strong)", text: "nothing found" };
  return { colour: labelColour(label), text: score === null ? label : `${label} ${formatNumber(score, 2)}` };
}

function ofDisagreement(label: string, predicted: string | null): CellColour {
  if (label === predicted) return { colour: "var(--online)", text: `both ${label}` };
  return { colour: "var(--error)", text: `${label} ≠ ${predicted ?? "nothing"}` };
}

/** What the colour of a cell says, in words too; null when it has nothing to say of the item. */
export function toCellColour(
  item: Pick<ItemCell, "status" | "label" | "label_color">,
  colouring: Colouring,
  predicted?: Predicted,
): CellColour | null {
  switch (colouring) {
    case "none":
      return null;
    case "status":
      return { colour: statusColours[item.status], text: itemStatusLabels[item.status] };
    case "label":
      return item.label === null ? null : { colour: labelColour(item.label, item.label_color), text: item.label };
    case "prediction":
      return predicted ? ofPrediction(predicted) : null;
    case "disagreement":
      return predicted && item.label !== null ? ofDisagreement(item.label, predicted.label) : null;
  }
}
