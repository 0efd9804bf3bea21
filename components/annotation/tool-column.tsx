"use client";

import {
  Brush,
  Diamond,
  Magnet,
  MousePointer2,
  Pentagon,
  Sparkles,
  Spline,
  Square,
  SquareDashed,
  Tags,
  Waypoints,
  type LucideIcon,
} from "lucide-react";
import { IconButton } from "@/components/kit/icon-button";
import { mayHold, type EditorLabel } from "@/domain/annotations/editor-label";
import { getTool, toolNames, type ToolName } from "./tools/tools";

const icons: Partial<Record<ToolName, LucideIcon>> = {
  select: MousePointer2,
  box: Square,
  "extreme-box": SquareDashed,
  "rotated-box": Diamond,
  polygon: Pentagon,
  magnet: Magnet,
  polyline: Spline,
  keypoints: Waypoints,
  brush: Brush,
  prompt: Sparkles,
  tags: Tags,
};

interface ToolColumnProps {
  tool: ToolName;
  onTool: (tool: ToolName) => void;
  labels: readonly EditorLabel[];
  /** Why nothing can be drawn. */
  refusal: string | undefined;
  isPhone: boolean;
  /** Whether there is a model that can be asked. */
  mayAsk: boolean;
}

/** Why a tool cannot be used; undefined where it can. */
function refuse(name: ToolName, { labels, refusal, isPhone }: ToolColumnProps): string | undefined {
  const { makes, isForPhones, name: text } = getTool(name);
  if (makes === null && name !== "prompt") return undefined;
  if (refusal !== undefined) return refusal;
  if (labels.length === 0) return "No labels yet";
  if (makes !== null && !labels.some((label) => mayHold(label, makes))) return "No label may have it";
  return isPhone && !isForPhones ? `${text} needs a larger screen` : undefined;
}

/** The tools: beside the stage, on phones below it. */
export function ToolColumn(props: ToolColumnProps) {
  const { tool, onTool, isPhone, mayAsk } = props;
  const shown = toolNames.filter((name) => name !== "prompt" || mayAsk);
  return (
    <div
      role="toolbar"
      aria-label="Tools"
      aria-orientation={isPhone ? "horizontal" : "vertical"}
      className="flex w-11 shrink-0 flex-col gap-1 border-r bg-surface p-1.5 max-sm:order-1 max-sm:w-auto max-sm:flex-row max-sm:gap-0.5 max-sm:border-t max-sm:border-r-0"
    >
      {shown.map((name) => {
        const Icon = icons[name];
        const { name: label, keys } = getTool(name);
        return (
          <IconButton
            key={name}
            label={label}
            keys={keys}
            icon={Icon && <Icon aria-hidden />}
            aria-pressed={tool === name}
            disabledReason={refuse(name, props)}
            onClick={() => onTool(name)}
            className={tool === name ? "bg-selected text-foreground" : undefined}
          />
        );
      })}
    </div>
  );
}
