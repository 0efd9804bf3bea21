import { listByPosition } from "@/domain/annotations/draft-shape";
import type { EditorLabel } from "@/domain/annotations/editor-label";
import type { ToolName } from "../tools/tools";
import type { EditorInput, EditorSnapshot } from "./editor-snapshot";
import { canStep, type History } from "./history";

/** The id of a label that new shapes may have; null for others. */
export const findActive = (labels: readonly EditorLabel[], id: string | null | undefined): string | null =>
  labels.find((label) => label.id === id && !label.retired)?.id ?? null;

/** What panels show before anybody did anything: the draft, and what was kept of it. */
export function startSnapshot(input: EditorInput, tool: ToolName, history: History): EditorSnapshot {
  const unfinished = input.kept?.unfinished;
  const shapes = new Map(input.shapes.map((shape) => [shape.id, shape]));
  return {
    shapes,
    listed: listByPosition(shapes.values()),
    selected: [],
    tool,
    labelId: unfinished?.label_id ?? findActive(input.labels, input.hand?.current.labelId),
    hidden: new Set(),
    areHidden: false,
    proposals: input.proposals,
    point: null,
    drawn: unfinished?.points.length ?? 0,
    canEdit: input.canEdit,
    ...canStep(history),
  };
}
