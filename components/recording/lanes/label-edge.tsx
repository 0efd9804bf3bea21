"use client";

import { PanelEdge, usePanelWidth, type PanelWidth } from "@/components/kit/panel-edge";
import { labelWidth } from "@/components/recording/session/query";

/** How wide the names beside lanes and plots are; kept in the browser, for all recordings and comparisons. */
export const useLabelWidth = (): PanelWidth =>
  usePanelWidth("recording.labels.width", { min: 112, max: 480, initial: labelWidth.wide });

/** The border between the names of lanes and what happened, inside of what it is as high as. */
export function LabelEdge({ labels, isPointerOnly }: { labels: PanelWidth; isPointerOnly?: boolean }) {
  return (
    <PanelEdge
      {...labels}
      side="left"
      label="Width of the names of lanes"
      isPointerOnly={isPointerOnly}
      style={{ left: labels.width }}
      // Grasped at the side of the names: the first moment beside it can be pressed.
      className="absolute inset-y-0 bg-transparent before:-left-3"
    />
  );
}
