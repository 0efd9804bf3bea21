import { mayHold, type EditorLabel } from "@/domain/annotations/editor-label";
import { getTool, type ToolName } from "../tools/tools";

/** The label that the next shape of a tool gets: the chosen one, else the first that may have its type; null for none. */
export function pickLabel(labels: readonly EditorLabel[], chosen: string | null, tool: ToolName): EditorLabel | null {
  const { makes } = getTool(tool);
  const may = (label: EditorLabel) => !label.retired && (makes === null || mayHold(label, makes));
  return labels.find((label) => label.id === chosen && may(label)) ?? labels.find(may) ?? null;
}
