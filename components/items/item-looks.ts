import type { ShapeName } from "@/components/kit/shape";
import type { Tone } from "@/components/product/status";
import type { ItemStatus } from "@/domain/datasets/item-status";

interface ItemLook {
  tone: Tone;
  shape: ShapeName;
  /** Fills its part of a bar. */
  fill: string;
}

/** How the states of an item are drawn, in the order in which items go through them. */
export const itemLooks: Readonly<Record<ItemStatus, ItemLook>> = {
  customer_approved: { tone: "online", shape: "disc", fill: "bg-online" },
  completed: { tone: "info", shape: "square", fill: "bg-info" },
  rework_required: { tone: "warning", shape: "triangle", fill: "bg-warning" },
  in_progress: { tone: "maintenance", shape: "half", fill: "bg-maintenance" },
  ready_for_annotation: { tone: "info", shape: "frame", fill: "bg-accent" },
  unattempted: { tone: "neutral", shape: "ring", fill: "bg-border-strong" },
  pending: { tone: "neutral", shape: "dotted-ring", fill: "bg-border" },
};

/** Stripes below what is not there yet, or not any more. */
export const hatched = "bg-[repeating-linear-gradient(135deg,var(--border)_0_4px,transparent_4px_9px)]";
